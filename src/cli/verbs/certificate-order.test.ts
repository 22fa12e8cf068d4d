import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { STUB_ACME } from '../../../testkit/http/stub-acme.ts';
import { STUB_CERTIFICATE } from '../../../testkit/http/stub-certificates.ts';
import { KEY, type Overrides, stubApp } from '../../../testkit/http/stub-services.ts';
import { codes } from '../../errors/catalogue.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { type Listening, listen } from '../../http/listen.ts';
import { runCommandLine } from '../run.ts';

const now = new Date('2026-11-20T12:00:00Z');
let folder: string;
let listening: Listening | null = null;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pm-orders-'));
});
afterEach(async () => {
  await listening?.close(0);
  rmSync(folder, { recursive: true });
});

const run = (words: readonly string[], acme: Overrides['acme'] = {}) => runLine(['certificate', ...words], acme);

async function runLine(words: readonly string[], acme: Overrides['acme'] = {}) {
  const stub = stubApp({
    acme,
    certificates: { get: async () => ({ ...STUB_CERTIFICATE, runtime_updated: true }) },
    keys: { authenticate: async () => ({ name: 'ops', scopes: ['admin'] }) },
  });
  listening = await listen(stub.app, { host: '127.0.0.1', port: 0 });
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const output = Promise.all([text(stdout), text(stderr)]);
  stdin.end();
  const code = await runCommandLine([...words, '--url', listening.url], {
    ...{ environment: { PROXY_MANAGER_API_KEY: `${KEY}-0123456789` }, homeFolder: folder, stdin, stdout, stderr },
    now: () => now,
    end: (exitCode) => {
      throw new Error(`ended with ${exitCode}`);
    },
  });
  stdout.end();
  stderr.end();
  const [out, err] = await output;
  return { code, out, err, calls: stub.calls };
}

const planned = { ...STUB_ACME, failures: 0, problem: null, attempts: [] } as const;

it('request prints each step and ends with the order', async () => {
  const [attempt] = STUB_ACME.attempts;
  const stored = { ...planned, due_by: 'age', attempts: [{ ...attempt, state: 'stored', problem: null }] } as const;
  const { code, out, calls } = await run(['request', 'a.example', 'b.example'], {
    request: async () => planned,
    get: async () => stored,
  });
  expect(code).toBe(0);
  expect(out).toContain(
    'a.example: the certificate is stored\na.example: the certificate is served\nc-aaaaaaaaaa: a.example\n',
  );
  expect(calls.find(({ args }) => Array.isArray(args[0]))!.args[0]).toEqual(['a.example', 'b.example']);
});

it('request exits 3 for a failed order, with the words of the authority', async () => {
  const { code, out } = await run(['request', 'a.example'], { request: async () => planned });
  expect(code).toBe(3);
  expect(out).toContain('will retry: NXDOMAIN');
});

it('renew --no-wait returns at once, and orders shows each order', async () => {
  expect((await run(['renew', 'c-aaaaaaaaaa', '--no-wait'], { renew: async () => planned })).code).toBe(0);
  await listening!.close(0);
  const { code, out } = await run(['orders', 'c-aaaaaaaaaa']);
  expect(code).toBe(0);
  expect(out).toMatch(/ {2}2026-11-20 11:59.*: the order failed\n.*will retry: NXDOMAIN\n/);
});

it('site set --https says what is known of an order that has failed or waits, instead of that it exists', async () => {
  const request = async () => {
    throw new ServiceError(codes.AlreadyOrdered, 'request certificate', 'ordered', {
      members: { certificate: 'c-aaaaaaaaaa' },
    });
  };
  const { code, out, err } = await runLine(['site', 'set', 'a.example', '--https'], { request });
  expect([code, err]).toEqual([3, '']);
  expect(out).toMatch(/^c-aaaaaaaaaa: a\.example\n[\s\S]*will retry: NXDOMAIN\n/m);
});
