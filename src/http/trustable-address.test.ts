import { expect, test } from 'vitest';
import { parseIp } from '../domain/ip.ts';
import { trustableAddress } from './session-routes.ts';

const own = ['127.0.0.1', '192.0.2.1', 'fe80::1%eth0', '2001:db8::1'];
const of = (text: string, headers = {}): string | null => {
  const parsed = parseIp(text);
  if (!parsed.ok) throw new Error(parsed.why);
  return trustableAddress(parsed.entry, headers, own);
};

test.each(['203.0.113.9', '10.1.2.3', '2001:db8::9'])('%s can be trusted', (text) => {
  expect(of(text)).toBe(text);
});

// All clients of a tunnel have its end's address.
test.each(['127.0.0.1', '127.8.9.10', '::1', '::ffff:127.0.0.1', '192.0.2.1', '2001:db8::1'])('%s cannot', (text) => {
  expect(of(text)).toBeNull();
});

test.each(['forwarded', 'via', 'x-forwarded-for', 'x-real-ip'])('none can behind a proxy that sends %s', (name) => {
  expect(of('203.0.113.9', { [name]: '198.51.100.1' })).toBeNull();
});

test('the addresses of this machine are found', () => {
  const parsed = parseIp('127.0.0.1');
  expect(parsed.ok && trustableAddress(parsed.entry, {})).toBeNull();
});
