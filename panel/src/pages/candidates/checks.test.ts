import { expect, test } from 'vitest';
import type { CheckAnswer } from '../../api/types.ts';
import { allPassed, type CheckContext, checksFor } from './checks.ts';

const allowed = { verdict: 'allowed', by: null } as unknown as CheckAnswer;
const known: CheckContext = { trusted: [], verdict: allowed, clientAddress: '203.0.113.50' };
const ip = '198.51.100.7';
const trusted = [{ ip_address: '198.51.100.0/24', note: null, added_at: '', expires_at: null }];
const failed = (address: string, context: CheckContext): string[] =>
  checksFor(address, context)
    .filter(({ passed }) => passed === false)
    .map(({ name }) => name);

test('passes for a client about which nothing speaks against a block', () => {
  expect(allPassed(checksFor(ip, known))).toBe(true);
});

test.each([
  ['Trusted', ip, { trusted }],
  ['Trusted', '198.51.0.0/16', { trusted }],
  ['Known CDN or upstream', ip, { verdict: { ...allowed, upstream: 'lb' } }],
  ['Known CDN or upstream', '173.245.48.1', {}],
  ['Your own address', '203.0.113.0/24', {}],
  ['Blocked already', ip, { verdict: { ...allowed, verdict: 'blocked', by: '198.51.100.0/24' } as CheckAnswer }],
] as const)('reports: %s', (name, address, context) => {
  expect(failed(address, { ...known, ...context } as CheckContext)).toEqual([name]);
});

test('does not pass before all is known', () => {
  expect(allPassed(checksFor(ip, { ...known, trusted: null }))).toBe(false);
  expect(allPassed(checksFor(ip, { ...known, verdict: null }))).toBe(false);
  expect(checksFor(ip, { ...known, clientAddress: null }).map(({ words }) => words)).toContain(
    'not known to the service',
  );
});
