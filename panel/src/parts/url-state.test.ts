import { expect, it } from 'vitest';
import { parseSearch, stringifySearch } from './url-state.ts';

it.each([{ q: '10' }, { ip: '2001:db8::/32' }, { q: 'a & b = ü', tab: 'audit' }, {}])(
  '%j survives a round trip',
  (search) => {
    expect(parseSearch(stringifySearch(search))).toEqual(search);
  },
);

it('omits empty and undefined values', () => {
  expect(stringifySearch({ q: '', tab: undefined })).toBe('');
});
