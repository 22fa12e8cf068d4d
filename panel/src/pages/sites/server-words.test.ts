import { describe, expect, it } from 'vitest';
import type { ServerState } from '../../api/types.ts';
import { checkWords, siteWords, statusWords } from './server-words.ts';

const state = (status: string | null): ServerState => ({
  address: '10.0.0.1',
  port: 80,
  status,
  check: null,
  resolved_address: null,
});

describe('a server’s state', () => {
  it.each([
    ['UP', 'good'],
    ['UP 1/3', 'warn'],
    ['DOWN', 'bad'],
    ['DOWN 1/2', 'warn'],
    ['MAINT', 'warn'],
    ['MAINT (via x/y)', 'warn'],
    ['MAINT (resolution)', 'bad'],
    ['NOLB', 'warn'],
    ['NOLB 1/2', 'warn'],
    ['DRAIN', 'warn'],
    ['no check', 'unknown'],
    ['something new', 'unknown'],
    [null, 'unknown'],
  ])('shows %j as %s', (status, tone) => {
    expect(statusWords(status).tone).toBe(tone);
  });

  it('shows the last check, also while the next one runs', () => {
    expect(checkWords('* L4CON')).toBe('Connection refused');
    expect(checkWords('L9NEW')).toBe('L9NEW');
    expect(checkWords(null)).toBeNull();
  });
});

describe('a site’s state', () => {
  it.each<[string, (string | null)[], string]>([
    ['all up', ['UP', 'UP'], 'good'],
    ['one with failing checks', ['UP', 'UP 1/3'], 'warn'],
    ['one down', ['UP', 'DOWN'], 'warn'],
    ['all down', ['DOWN', 'MAINT'], 'bad'],
    ['one down, one not checked', ['DOWN', 'no check'], 'warn'],
    ['one up, one unknown', ['UP', null], 'warn'],
    ['all unknown', [null, 'no check'], 'unknown'],
  ])('with %s is never better than its servers', (_name, statuses, tone) => {
    expect(siteWords(statuses.map(state)).tone).toBe(tone);
  });

  it('is unknown before the first query', () => {
    expect(siteWords(undefined).tone).toBe('unknown');
  });
});
