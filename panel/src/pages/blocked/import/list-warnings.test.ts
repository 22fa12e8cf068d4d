import { expect, it } from 'vitest';
import { trustedEntries } from '../block/warnings.ts';
import { listWarnings } from './list-warnings.ts';
import type { NumberedEntry } from './preview.ts';

const lines = (texts: readonly string[]): NumberedEntry[] =>
  texts.map((ip, index) => ({ line: index + 1, entry: { ip } }));
const many = Array.from({ length: 30_000 }, (_, index) => `11.0.${(index >> 8) & 255}.${index & 255}`);
/** Counted like `many`, but not compared: 20 million comparisons take seconds on a busy machine. */
const uncompared = Array.from({ length: 300_000 }, () => 'no address');
const trusted = (count: number) =>
  trustedEntries(Array.from({ length: count }, (_, index) => ({ ip_address: `192.0.2.${index + 1}` })));

it('checks every line of a long list', () => {
  const list = lines([...many, '203.0.113.5', '12.0.0.0/8', '192.0.2.3']);
  const { warnings, unchecked } = listWarnings(list, { trusted: trusted(10), clientAddress: '203.0.113.5' });
  expect(warnings.map(({ value }) => value)).toEqual(['203.0.113.5', '12.0.0.0/8', '192.0.2.3']);
  expect(unchecked).toBeNull();
});

it('reports when not all trusted entries were compared', () => {
  const list = lines([...uncompared, '203.0.113.5']);
  const { warnings, unchecked } = listWarnings(list, { trusted: trusted(200), clientAddress: '203.0.113.5' });
  expect(warnings.map(({ value }) => value)).toEqual(['203.0.113.5']);
  expect(unchecked).toMatch(/with only 66 of 200 trusted entries/);
});
