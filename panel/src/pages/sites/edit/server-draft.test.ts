import { describe, expect, it } from 'vitest';
import type { Server } from '../../../api/types.ts';
import { draftOf, emptyDraft, faultsOf, isComplete, requestOf } from './server-draft.ts';

const draft = { ...emptyDraft(0), address: '10.0.0.1' };

describe('a server in the form', () => {
  it.each<Server>([
    { address: '10.0.0.1', port: 80, options: { check: true } },
    {
      address: '2001:db8::1',
      port: 443,
      options: { check: false, weight: 0, max_connections: 200, backup: true, ssl: 'insecure' },
    },
  ])('is sent unchanged if nothing was edited: %j', (server) => {
    expect(requestOf(draftOf(server, 1))).toEqual(server);
  });

  it.each([
    ['address', '10.0.0.1:80', 'a field of its own'],
    ['address', '10.0.0.0/8', 'is a network'],
    ['port', '0', 'from 1 to 65535'],
    ['port', '80x', 'from 1 to 65535'],
    ['port', '8e1', 'from 1 to 65535'],
    ['weight', '257', 'from 0 to 256'],
    ['weight', '-1', 'from 0 to 256'],
    ['maxConnections', '0', 'from 1 to 1000000'],
  ] as const)('has an error for %s %j', (name, value, why) => {
    const wrong = { ...draft, [name]: value };
    expect(faultsOf(wrong)).toEqual({ [name]: expect.stringContaining(why) });
    expect(isComplete(wrong)).toBe(false);
  });

  it('is complete with host and port, and has no errors for empty fields', () => {
    expect(isComplete(draft)).toBe(true);
    for (const empty of [
      { ...draft, address: ' ' },
      { ...draft, port: '' },
    ]) {
      expect(faultsOf(empty)).toEqual({});
      expect(isComplete(empty)).toBe(false);
    }
  });
});
