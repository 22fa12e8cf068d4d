import { expect, it } from 'vitest';
import { plainTextNotice } from './listen-notices.ts';

const at = (host: string) => ({ text: `${host}:7080`, target: { host, port: 7080 } });

it.each(['0.0.0.0', '::', '192.0.2.1', 'proxy.example', '128.0.0.1'])(
  'an API on %s without TLS is a notice',
  (host) => {
    expect(plainTextNotice(at(host), false)).toContain(`the API listens on ${host}:7080 without TLS`);
    expect(plainTextNotice(at(host), true)).toBeNull();
  },
);

it.each(['127.0.0.1', '127.1.2.3', '::1', 'localhost'])('an API on %s is none', (host) => {
  expect(plainTextNotice(at(host), false)).toBeNull();
});

it('an API on a Unix socket is none', () => {
  expect(plainTextNotice({ text: 'unix:/run/a', target: { path: '/run/a' } }, false)).toBeNull();
});
