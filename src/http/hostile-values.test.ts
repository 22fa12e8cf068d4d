// Every hostile value through every field of every endpoint (promise 8): refused by the name of its field, or, where the
// value is right after all, handed on exactly. The same requests against the real service: test/hostile-values.test.ts.
import { describe, expect, test } from 'vitest';
import { textLine } from '../telemetry/log.ts';
import { type Attack, attacks, isHarmless } from './testkit/attacks.ts';
import { endpoints } from './testkit/endpoint-fields.ts';
import { BEARER, stubApp } from './testkit/stub-services.ts';

const stub = stubApp();
const all = await attacks();

/** Read as streams, without a schema that could be walked; their elements have a test of their own below. May only shrink. */
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
