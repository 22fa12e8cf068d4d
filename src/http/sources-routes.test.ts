import { request } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import { untilPasses } from '../../testkit/conditions.ts';
import { BEARER, stubApp } from '../../testkit/http/stub-services.ts';
import { listen } from './listen.ts';

it('bounds how many requests count all claims at once', async () => {
  const waiting: (() => void)[] = [];
  const list = () => new Promise<[]>((resolve) => waiting.push(() => resolve([])));
  const { app } = stubApp({ sources: { list } });
  const get = (url: string) => app.inject({ method: 'GET', url, headers: BEARER });

  const first = [1, 2, 3, 4].map(() => get('/api/sources'));
  await expect.poll(() => waiting.length).toBe(4);
  for (const url of ['/api/sources', '/api/sources/drop'])
    expect(await get(url)).toMatchObject({ statusCode: 503, headers: { 'retry-after': expect.any(String) } });
  expect(waiting).toHaveLength(4);

  for (const end of waiting) end();
  for (const answer of first) expect((await answer).statusCode).toBe(200);
  expect((await get('/api/sources/drop')).statusCode).toBe(200);
});

it('stops counting for a client that disconnects, which frees its place', async () => {
  const ended: unknown[] = [];
  let begun = 0;
  const count = (signal: AbortSignal): Promise<never> => {
    begun += 1;
    return new Promise((_, reject) => {
      signal.addEventListener('abort', () => {
        ended.push(signal.reason);
        reject(signal.reason as Error);
      });
    });
  };
  const { app, logged } = stubApp({
    sources: { list: count },
    releases: { get: (_: string, signal: AbortSignal) => count(signal) },
    insight: { sourceEffects: (_: number, signal: AbortSignal) => count(signal) },
  });
  const listening = await listen(app, { host: '127.0.0.1', port: 0 });
  onTestFinished(async () => void (await listening.close(0)));
  const leave = async (path: string): Promise<void> => {
    const sent = request(new URL(path, listening.url), { headers: BEARER, agent: false });
    sent.on('error', () => undefined).end();
    const before = begun;
    await untilPasses(() => expect(begun).toBe(before + 1));
    sent.destroy();
    await untilPasses(() => expect(ended).toHaveLength(begun));
  };
  // A key has four places.
  for (const path of ['/api/sources', '/api/sources/drop', '/api/insight/sources'])
    for (let times = 0; times < 6; times += 1) await leave(path);
  expect(logged.filter(({ message }) => message === 'Request failed')).toEqual([]);
});
