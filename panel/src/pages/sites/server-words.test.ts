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
  ])('%j is %s', (status, tone) => {
    expect(statusWords(status).tone).toBe(tone);
  });

  it('says what a check said, also while the next one is under way', () => {
    expect(checkWords('* L4CON')).toBe('it refuses connections');
    expect(checkWords('L9NEW')).toBe('L9NEW');
    expect(checkWords(null)).toBeNull();
  });
});

describe('a site’s state', () => {
  it.each<[string, (string | null)[], string]>([
    ['all up', ['UP', 'UP'], 'good'],
    ['one shaky', ['UP', 'UP 1/3'], 'warn'],
    ['one down', ['UP', 'DOWN'], 'warn'],
    ['all down', ['DOWN', 'MAINT'], 'bad'],
    ['one down, one not checked', ['DOWN', 'no check'], 'warn'],
    ['one up, one not known', ['UP', null], 'warn'],
    ['none known', [null, 'no check'], 'unknown'],
  ])('with %s is never greener than its servers', (_name, statuses, tone) => {
    expect(siteWords(statuses.map(state)).tone).toBe(tone);
  });

  it('is not known before it was asked', () => {
    expect(siteWords(undefined).tone).toBe('unknown');
  });
});
