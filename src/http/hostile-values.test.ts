// Every hostile value through every field of every endpoint (promise 8): refused by the name of its field, or, where the
// value is right after all, handed on exactly. The same requests against the real service: test/hostile-values.test.ts.
import { readdir, readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import type { BulkItem } from '../blocking/answers.ts';
import { textLine } from '../telemetry/log.ts';
import { type Attack, attacks, HEADERS, isHarmless } from './testkit/attacks.ts';
import { endpoints } from './testkit/endpoint-fields.ts';
import { BEARER, BULK, stubApp } from './testkit/stub-services.ts';

const stub = stubApp();
const all = await attacks();

/** Read as streams, without a schema that could be walked; their elements have tests of their own below. May only shrink. */
const WITHOUT_SCHEMA = ['POST /api/blocked-ips/batch', 'PUT /api/blocked-ips'];

async function send(one: Attack) {
  stub.calls.length = 0;
  stub.logged.length = 0;
  const response = await stub.app.inject({
    method: one.endpoint.method as 'GET',
    url: one.path,
    headers: { ...BEARER, ...one.headers },
    ...(one.body === undefined ? {} : { payload: one.body }),
  });
  return { response, calls: [...stub.calls] };
}

/** The names that a problem gives to what was wrong, and ours, in one spelling. */
function namesField(names: readonly string[], field: string): boolean {
  return names.some(
    (name) =>
      name === field ||
      field.startsWith(`${name}.`) ||
      field.startsWith(`${name}[`) ||
      name.startsWith(`${field}.`) ||
      name.startsWith(`${field}[`),
  );
}

let page: string | undefined;

describe.each([...Map.groupBy(all, ({ endpoint }) => `${endpoint.method} ${endpoint.url}`)])('%s', (_name, list) => {
  test('refuses what is hostile, and hands on what is not', async () => {
    for (const one of list) {
      const { response, calls } = await send(one);
      const { statusCode: status, body } = response;
      expect(status, one.name).toBeLessThan(500);
      // A page, and the only one: it is the same whatever is asked.
      const isPage = one.endpoint.url === '/docs' && status === 200;
      expect(response.headers['content-type'] ?? '', one.name).toMatch(
        isPage ? /^text\/html;/ : /^(application\/(problem\+)?json|application\/x-protobuf|text\/(plain|event-stream))/,
      );
      if (isPage) {
        page ??= body;
        expect(body, one.name).toBe(page);
      }
      if (status >= 400) expect(body, one.name).not.toMatch(/<script>|\u2028|\u2029/u);
      for (const { message, fields } of stub.logged) {
        expect(textLine(new Date(), 'info', message, fields), one.name).toMatch(/^[^\p{Cc}\u2028\u2029]*\n$/u);
      }
      if (status < 300) {
        expect(isHarmless(one), `${one.name} passed`).toBe(true);
        // Null is an absent one, and an empty object gets its defaults.
        if (one.where === 'body' && one.value !== null && !['null', '{}'].includes(one.value)) {
          const given = JSON.stringify(JSON.parse(one.value)).toLowerCase();
          expect(JSON.stringify(calls).toLowerCase(), one.name).toContain(given);
        }
        continue;
      }
      expect(status, one.name).toBeGreaterThanOrEqual(400);
      expect(calls, one.name).toEqual([]);
      if (one.headers.accept !== undefined) continue;
      const problem = response.json();
      expect(problem, one.name).toMatchObject({ status, code: expect.any(Number), detail: expect.stringMatching(/./) });
      expect(body.length, one.name).toBeLessThan(4_000);
      if (one.where !== 'body' && one.where !== 'query') continue;
      const tooBig = status === 413 || /not valid JSON|nested more than/.test(problem.detail);
      if (!tooBig) {
        const names = (problem.errors ?? []).map(({ name }: { name: string }) => name);
        expect(namesField(names, one.field) || problem.detail.includes('twice'), `${one.name}: ${body}`).toBe(true);
      }
    }
  });
});

/** Each an object as `POST /api/blocked-ips` takes it, with one field that is hostile; too long ones are another test's. */
const asElements = all
  .filter(
    ({ endpoint, where }) => endpoint.method === 'POST' && endpoint.url === '/api/blocked-ips' && where === 'body',
  )
  .filter(({ body }) => String(body).length < 10_000);

test('an element of a list is taken only where a block would be, and then as the same', async () => {
  const taken: unknown[] = [];
  const { app } = stubApp({
    blockedSet: {
      block: async (request: unknown) => {
        taken.push(request);
        throw new Error('enough');
      },
      batch: async ({ add }: { add: readonly { request: unknown }[] }) => {
        taken.push(...add.map(({ request }) => request));
        return BULK;
      },
      replaceAll: async (source: AsyncIterable<readonly BulkItem[]>) => {
        for await (const items of source) taken.push(...items.flatMap((item) => (item.ok ? [item.request] : [])));
        return BULK;
      },
    },
  });
  const takenOf = async (method: 'POST' | 'PUT', url: string, payload: string, name: string) => {
    taken.length = 0;
    const headers = { ...BEARER, 'content-type': 'application/json' };
    const { statusCode } = await app.inject({ method, url, headers, payload });
    if (url !== '/api/blocked-ips' || method === 'PUT') expect(statusCode, name).toBeLessThan(500);
    return [...taken];
  };
  let passed = 0;
  for (const one of asElements) {
    const body = String(one.body);
    const single = await takenOf('POST', '/api/blocked-ips', body, one.name);
    if (single.length > 0) expect(isHarmless(one), `${one.name} passed`).toBe(true);
    const ofBatch = await takenOf('POST', '/api/blocked-ips/batch', `{"add":[${body}]}`, one.name);
    const ofSet = await takenOf('PUT', '/api/blocked-ips', `[${body}]`, one.name);
    expect(ofSet, one.name).toEqual(ofBatch);
    // Of a mark that is not seen a list is the stricter judge.
    if (ofBatch.length > 0 || !body.includes('\ufeff')) expect(ofBatch, one.name).toEqual(single);
    passed += ofBatch.length;
  }
  expect(asElements.length).toBeGreaterThan(500);
  expect(passed).toBeGreaterThan(50);
});

test('every header that is read is attacked', async () => {
  const read = new Set<string>();
  for (const file of await readdir(import.meta.dirname)) {
    if (!file.endsWith('.ts') || file.endsWith('.test.ts')) continue;
    const source = await readFile(`${import.meta.dirname}/${file}`, 'utf8');
    for (const [, plain, quoted] of source.matchAll(/(?:request|raw)\.headers(?:\.([a-z]+)|\['([a-z-]+)'\])/g))
      read.add((plain ?? quoted) as string);
  }
  // Where a body ends is said by the parser's own tests (hardening.test.ts); the panel's files are no data (panel.test.ts).
  for (const name of ['content-length', 'if-none-match', 'accept-encoding']) expect(read.delete(name)).toBe(true);
  expect(read.size).toBeGreaterThan(5);
  expect([...read].filter((name) => !HEADERS.includes(name))).toEqual([]);
});

test('every endpoint is attacked', async () => {
  const known = (await endpoints()).filter(({ method, open, streamed }) => method !== 'HEAD' && !open && !streamed);
  const untouched = known.filter(
    (endpoint) => !all.some((one) => one.endpoint.url === endpoint.url && one.endpoint.method === endpoint.method),
  );
  expect(untouched).toEqual([]);
  const streamed = (await endpoints()).filter(({ streamed }) => streamed).map(({ method, url }) => `${method} ${url}`);
  expect(streamed.sort()).toEqual(WITHOUT_SCHEMA);
  expect(all.length).toBeGreaterThan(5_000);
});
