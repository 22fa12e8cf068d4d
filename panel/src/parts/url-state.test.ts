import { expect, it } from 'vitest';
import { parseSearch, stringifySearch } from './url-state.ts';

it.each([{ q: '10' }, { ip: '2001:db8::/32' }, { q: 'a & b = ü', tab: 'audit' }, {}])(
  '%j comes back as it was',
  (search) => {
    expect(parseSearch(stringifySearch(search))).toEqual(search);
  },
);

it('leaves out what is as ever', () => {
  expect(stringifySearch({ q: '', tab: undefined })).toBe('');
});
