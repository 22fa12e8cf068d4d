import { request } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import { untilPasses } from '../../testkit/conditions.ts';
import { BEARER, stubApp } from '../../testkit/http/stub-services.ts';
import { listSourceEffects } from '../api/insight.ts';
import { listen } from './listen.ts';

const path = '/api/insight/sources';

it('bounds how many requests count what the sources match at once', async () => {
  const waiting: (() => void)[] = [];
  const { answer } = listSourceEffects.examples.all;
  const sourceEffects = () => new Promise<typeof answer>((resolve) => waiting.push(() => resolve(answer)));
  const { app } = stubApp({ insight: { sourceEffects } });
  const get = () => app.inject({ method: 'GET', url: path, headers: BEARER });

  const first = [1, 2, 3, 4].map(get);
  await expect.poll(() => waiting.length).toBe(4);
  expect(await get()).toMatchObject({ statusCode: 503, headers: { 'retry-after': expect.any(String) } });
  expect(waiting).toHaveLength(4);

  for (const end of waiting) end();
  for (const answered of first) expect((await answered).statusCode).toBe(200);
  const next = get();
  await expect.poll(() => waiting.length).toBe(5);
  waiting.at(-1)!();
  expect((await next).statusCode).toBe(200);
});

it('stops counting for a client that disconnects, which frees its place', async () => {
  const ended: unknown[] = [];
  let begun = 0;
  const sourceEffects = (_: number, signal?: AbortSignal): Promise<never> => {
    begun += 1;
    return new Promise((_resolve, reject) => {
      signal!.addEventListener('abort', () => {
        ended.push(signal!.reason);
        reject(signal!.reason as Error);
      });
    });
  };
  const { app, logged } = stubApp({ insight: { sourceEffects } });
  const listening = await listen(app, { host: '127.0.0.1', port: 0 });
  onTestFinished(async () => void (await listening.close(0)));
  // A key has four places.
  for (let times = 0; times < 6; times += 1) {
    const sent = request(new URL(path, listening.url), { headers: BEARER, agent: false });
    sent.on('error', () => undefined).end();
    const before = begun;
    await untilPasses(() => expect(begun).toBe(before + 1));
    sent.destroy();
    await untilPasses(() => expect(ended).toHaveLength(begun));
  }
  expect(logged.filter(({ message }) => message === 'Request failed')).toEqual([]);
});
