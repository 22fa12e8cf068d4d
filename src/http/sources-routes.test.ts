import { expect, it } from 'vitest';
import { BEARER, stubApp } from '../../testkit/http/stub-services.ts';

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
