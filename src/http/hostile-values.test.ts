// Promise 8: rejected with the name of the field, or valid and passed on unchanged. Against the real service:
// test/hostile-values.test.ts.
import { readdir, readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { type Attack, attacks, HEADERS, isHarmless } from '../../testkit/http/attacks.ts';
import { endpoints } from '../../testkit/http/endpoint-fields.ts';
import { BEARER, BULK, stubApp } from '../../testkit/http/stub-services.ts';
import { longTests, sampled } from '../../testkit/proxies.ts';
import type { BulkItem, RequestedBlock } from '../blocking/blocked-set-service.ts';
import { textLine } from '../telemetry/log.ts';

const stub = stubApp();
const all = await attacks();

/** Read by some endpoints; other headers are read by hooks, or never. */
const READ_BY: Readonly<Record<string, (endpoint: Attack['endpoint']) => boolean>> = {
  accept: ({ url }) => url === '/api/blocked-ips' || url === '/metrics',
  'last-event-id': ({ url }) => url === '/api/events',
  'content-type': ({ body }) => body !== undefined,
  'content-encoding': ({ body }) => body !== undefined,
};

/** Whether the same code validates this value for all endpoints. */
function isJudgedAlike({ endpoint, where, field }: Attack): boolean {
  if (where === 'header') return READ_BY[field]?.(endpoint) !== true;
  if (where === 'query') return !endpoint.queryFields.includes(field);
  return where === 'whole body' && endpoint.body === undefined;
}

/** Independent of the endpoint. */
function wayOf({ where, field, value, path }: Attack): string {
  return `${where} ${field} ${value ?? (where === 'query' ? path.slice(path.indexOf('?')) : '')}`;
}

/** Of what an endpoint validates itself a twelfth, all in `npm run test:long`; of the rest one of 24, and a sixth. */
function dealt(): readonly Attack[] {
  const turns = new Map<string, number>();
  /** Alternating, so that each value is sent. */
  const isItsTurn = (way: string, every: number): boolean => {
    const turn = turns.get(way) ?? turns.size;
    turns.set(way, turn + 1);
    return turn % every === 0;
  };
  return all.filter((one) => {
    if (isJudgedAlike(one)) return isItsTurn(wayOf(one), longTests ? 6 : 24);
    return longTests || isItsTurn(`${one.where} ${one.value ?? ''}`, 12);
  });
}

const chosen = dealt();

/** Streamed bodies have no schema; their elements are tested below. May only shrink. */
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

/** A list: an `expect` for each of thousands of responses is slow. */
async function faultsOf(one: Attack): Promise<string[]> {
  const { response, calls } = await send(one);
  const { statusCode: status, body } = response;
  const faults: string[] = [];
  const must = (good: boolean, what: string): void => {
    if (!good) faults.push(`${one.name}: ${what}: ${status} ${body.slice(0, 500)}`);
  };
  must(status < 500, 'an error of the service');
  const isPage = one.endpoint.url === '/docs' && status === 200;
  const type = isPage
    ? /^text\/html;/
    : /^(application\/(problem\+)?json|application\/x-protobuf|text\/(plain|event-stream)|application\/pem-certificate-chain)/;
  must(type.test(String(response.headers['content-type'] ?? '')), 'another Content-Type');
  if (isPage) {
    page ??= body;
    must(body === page, 'another page');
  }
  if (status >= 400) must(!/<script>|\u2028|\u2029/u.test(body), 'unescaped');
  for (const { message, fields } of stub.logged) {
    const line = textLine(new Date(), 'info', message, fields);
    must(/^[^\p{Cc}\u2028\u2029]*\n$/u.test(line), `forged in the log: ${line}`);
  }
  if (status < 300) {
    must(isHarmless(one), 'passed');
    // Null counts as absent; an empty object gets its defaults.
    if (one.where === 'body' && one.value !== null && !['null', '{}'].includes(one.value)) {
      const given: unknown = JSON.parse(one.value);
      const called = JSON.stringify(calls).toLowerCase();
      // Networks become entries.
      const parts = one.field === 'networks' && Array.isArray(given) ? given : [given];
      must(
        parts.every((part) => called.includes(JSON.stringify(part).toLowerCase())),
        `handed on as ${called}`,
      );
    }
    return faults;
  }
  // The value is valid, and the attack has no body to stream.
  if (status === 415 && one.where === 'query' && one.endpoint.streamed && isHarmless(one)) return faults;
  must(status >= 400, 'neither taken nor refused');
  must(calls.length === 0, 'a service was asked');
  if (one.headers.accept !== undefined) return faults;
  const problem = response.json();
  must(problem.status === status && typeof problem.code === 'number' && /./.test(problem.detail), 'no problem');
  must(body.length < 4_000, 'long');
  if (one.where !== 'body' && one.where !== 'query') return faults;
  const tooBig = status === 413 || /not valid JSON|nested more than/.test(problem.detail);
  if (!tooBig) {
    const names = (problem.errors ?? []).map(({ name }: { name: string }) => name);
    // The value is valid, and what has to be sent with it is absent.
    if (one.where === 'query' && isHarmless(one) && names.every((name: string) => companions.has(name))) return faults;
    must(namesField(names, one.field) || problem.detail.includes('twice'), 'another name');
  }
  return faults;
}

/** Required by `DELETE /api/blocked-ips` together with others. */
const companions: ReadonlySet<string> = new Set(['expect', 'source']);

describe.each([...Map.groupBy(chosen, ({ endpoint }) => `${endpoint.method} ${endpoint.url}`)])('%s', (_name, list) => {
  test('rejects hostile values, and passes valid ones on unchanged', async () => {
    const faults: string[] = [];
    for (const one of list) faults.push(...(await faultsOf(one)));
    expect(faults).toEqual([]);
  });
});

test('every value is sent to at least one endpoint', () => {
  const ways = (list: readonly Attack[]) => new Set(list.filter(isJudgedAlike).map(wayOf));
  expect(ways(chosen)).toEqual(ways(all));
});

/** Bodies of `POST /api/blocked-ips` with one hostile field; too long ones have their own test. */
const asElements = sampled(
  all
    .filter(
      ({ endpoint, where }) => endpoint.method === 'POST' && endpoint.url === '/api/blocked-ips' && where === 'body',
    )
    .filter(({ body }) => String(body).length < 10_000),
  (_, at) => at % 5 === 0,
);

test('an element of a list is accepted exactly when a block is, with the same values', async () => {
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
    // A list also rejects an invisible mark.
    if (ofBatch.length > 0 || !body.includes('\ufeff')) expect(ofBatch.map(asSingle), one.name).toEqual(single);
    passed += ofBatch.length;
  }
  expect(asElements.length).toBeGreaterThan(longTests ? 500 : 100);
  expect(passed).toBeGreaterThan(longTests ? 50 : 10);
});

/** The expiry of a list element has another rule: it never shortens a block. */
function asSingle(request: unknown): unknown {
  const { expiry, ...rest } = request as RequestedBlock;
  const kind = { keep: 'permanent', 'not-before': 'at' }[expiry.kind as string] ?? expiry.kind;
  return { ...rest, expiry: { ...expiry, kind } };
}

test('every header that is read gets hostile values', async () => {
  const read = new Set<string>();
  for (const file of await readdir(import.meta.dirname)) {
    if (!file.endsWith('.ts') || file.endsWith('.test.ts')) continue;
    const source = await readFile(`${import.meta.dirname}/${file}`, 'utf8');
    for (const [, plain, quoted] of source.matchAll(/(?:request|raw)\.headers(?:\.([a-z]+)|\['([a-z-]+)'\])/g))
      read.add((plain ?? quoted) as string);
  }
  // Tested in hardening.test.ts, panel.test.ts and metrics-routes.test.ts.
  for (const name of ['content-length', 'if-none-match', 'accept-encoding']) expect(read.delete(name)).toBe(true);
  expect(read.size).toBeGreaterThan(5);
  expect([...read].filter((name) => !HEADERS.includes(name))).toEqual([]);
});

test('every endpoint gets hostile values', async () => {
  const known = (await endpoints()).filter(({ method, open, streamed }) => method !== 'HEAD' && !open && !streamed);
  const untouched = known.filter(
    (endpoint) => !chosen.some((one) => one.endpoint.url === endpoint.url && one.endpoint.method === endpoint.method),
  );
  expect(untouched).toEqual([]);
  const streamed = (await endpoints()).filter(({ streamed }) => streamed).map(({ method, url }) => `${method} ${url}`);
  expect(streamed.sort()).toEqual(WITHOUT_SCHEMA);
  expect(chosen.length).toBeGreaterThan(longTests ? 5_000 : 500);
});
