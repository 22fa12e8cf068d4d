import { afterEach, expect, test, vi } from 'vitest';
import { BEARER, stubApp } from '../../testkit/http/stub-services.ts';
import { FailureLimiter, sourceOf } from './failure-limiter.ts';
import { busy } from './rejections.ts';
import { LimitedLines } from './request-lines.ts';

afterEach(() => vi.useRealTimers());

test('anonymous requests have twenty log lines per minute, and one that counts the rest', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const { app, logged } = stubApp();
  const wrong = 'pm_a-key-that-is-wrong';
  const ask = (remoteAddress: string, headers: Record<string, string>) =>
    app.inject({ url: `/api/session?key=${wrong}`, remoteAddress, headers });
  for (let n = 0; n < 400; n += 1) await ask('192.0.2.1', { authorization: `Bearer ${wrong}` });
  for (let n = 0; n < 100; n += 1) await ask(`2001:db8::${n.toString(16)}`, {});
  await ask('192.0.2.9', BEARER);
  expect(logged).toHaveLength(21);
  expect(logged[0]).toMatchObject({ message: 'Request answered', fields: { status: 401, from: '192.0.2.1' } });
  expect(logged[20]).toMatchObject({ fields: { status: 200, key: 'ops' } });

  vi.advanceTimersByTime(60_000);
  expect(logged).toHaveLength(22);
  expect(logged[21]).toMatchObject({
    message: 'Requests without a valid key',
    fields: { requests: 480, most_from: { '192.0.2.1': 380, [sourceOf('2001:db8::1')]: 100 } },
  });
  expect(JSON.stringify(logged)).not.toContain(wrong);

  await ask('192.0.2.1', {});
  expect(logged).toHaveLength(23);
  vi.advanceTimersByTime(60_000);
  expect(logged).toHaveLength(23);
});

test('failed key checks have limited log lines too', async () => {
  const { app, logged } = stubApp({ keys: { authenticate: () => Promise.reject(new Error('database gone')) } });
  for (let n = 0; n < 300; n += 1) await app.inject({ url: '/health', headers: BEARER });
  expect(logged.length).toBe(20);
  expect(logged[0]).toMatchObject({ message: 'Request failed' });
  await app.close();
  expect(logged).toHaveLength(21);
  expect(logged.at(-1)).toMatchObject({ message: 'Requests without a valid key', fields: { requests: 280 } });
});

test('rejections with a valid key have sixty log lines per minute, and one that counts the rest', async () => {
  const full = () => Promise.reject(busy('every place is taken'));
  const { app, logged } = stubApp({ blockedSet: { check: full } }, { undocumented: true });
  const ask = (url: string) => app.inject({ url, headers: BEARER });
  for (let n = 0; n < 100; n += 1) await ask('/api/check/192.0.2.1');
  for (let n = 0; n < 100; n += 1) await ask('/api/check/not-an-address');
  await ask('/api/keys');
  expect(logged).toHaveLength(61);
  expect(logged[0]).toMatchObject({
    message: 'Request answered',
    fields: { status: 503, key: 'ops', code: 6015, cause: 'every place is taken' },
  });
  expect(logged[60]).toMatchObject({ message: 'Request answered', fields: { status: 200 } });
  await app.close();
  expect(logged[61]).toMatchObject({
    message: 'Rejected requests',
    fields: { requests: 140, most_from: { ops: 140 } },
  });
});

test('failures with a valid key have one log line each with their cause, up to sixty per minute', async () => {
  const broken = () => Promise.reject(new Error('a defect'));
  const { app, logged } = stubApp({ blockedSet: { check: broken } });
  for (let n = 0; n < 100; n += 1) await app.inject({ url: '/api/check/192.0.2.1', headers: BEARER });
  expect(logged).toHaveLength(60);
  expect(logged[0]).toMatchObject({
    message: 'Request failed',
    fields: { status: 500, key: 'ops', cause: 'a defect' },
  });
  await app.close();
  expect(logged[60]).toMatchObject({ message: 'Failed requests', fields: { requests: 40 } });
});

test('sources beyond the limit are counted together', () => {
  const writtenFields: unknown[] = [];
  const lines = new LimitedLines({
    write: (_message, fields) => writtenFields.push(fields),
    limits: { lines: 0, windowMs: 1_000, sources: 2 },
  });
  for (const source of ['a', 'b', 'c', 'd', 'a']) expect(lines.allows(source)).toBe(false);
  lines.end();
  expect(writtenFields).toEqual([{ requests: 5, most_from: { a: 2, b: 1 } }]);
  lines.end();
  expect(writtenFields).toHaveLength(1);
});

test('wrong keys from one link-local network count together', () => {
  const limiter = new FailureLimiter(() => 0, { failures: 1, windowMs: 1_000, addresses: 10 });
  expect(limiter.fail('fe80::1%eth0')).toBeNull();
  expect(limiter.fail('fe80::2%eth0')).toBe(1);
});
