import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { STUB_CERTIFICATE } from '../../../testkit/http/stub-certificates.ts';
import { KEY, type Overrides, stubApp } from '../../../testkit/http/stub-services.ts';
import { selfSigned, shownKeyParts } from '../../../testkit/tls/uploads.ts';
import type { Certificate } from '../../api/certificate-records.ts';
import { codes } from '../../errors/catalogue.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { type Listening, listen } from '../../http/listen.ts';
import { plainLine } from '../output/table.ts';
import { runCommandLine } from '../run.ts';
import { certificateColumns, certificateLines } from './certificate.ts';

const now = new Date('2026-11-20T12:00:00Z');
const served = {
  ...STUB_CERTIFICATE,
  self_signed: false,
  issuer: 'CN=E8',
  served_until: STUB_CERTIFICATE.not_after,
  workers: [{ pid: 11, role: 'current', holds: true, reason: null }],
  runtime_updated: true,
  reload_scheduled: false,
  files: 'durable',
  handshake: 'seen',
  warnings: [],
} as const satisfies Certificate;

it('a certificate in a pipe is one line with the date that clients see', () => {
  const line = (certificate: Certificate) => plainLine(certificateColumns(now), certificate);
  expect(line(served)).toBe(
    'c-aaaaaaaaaa\t2027-02-18T12:00:00.000Z\t2027-02-18T12:00:00.000Z\t1 of 1\t1\ta.example\tCN=E8\t-',
  );
  expect(line(STUB_CERTIFICATE)).toBe(
    'c-aaaaaaaaaa\t-\t2027-02-18T12:00:00.000Z\t0 of 1\t1\ta.example\tself-signed\t-',
  );
  expect(line({ ...served, runtime_updated: null, workers: [] })).toContain('\tnot checked\t');
});

it('a certificate is shown with what is served, and what is wrong', () => {
  expect(certificateLines(served, now)).toEqual([
    'c-aaaaaaaaaa: a.example',
    '  served until 2027-02-18 12:00 UTC (in 90 d)',
    '  issued by CN=E8, RSA with 2048 bits',
    '  sha256 ab',
    '  used by 1 site: a.example',
    '  1 current worker read back to hold it',
    '  a TLS connection to HAProxy got it',
  ]);
  expect(certificateLines({ ...STUB_CERTIFICATE, problem: 'no' }, now)).toEqual([
    'c-aaaaaaaaaa: a.example',
    '  valid until 2027-02-18 12:00 UTC (in 90 d); not known to be served',
    '  self-signed, RSA with 2048 bits',
    '  sha256 ab',
    '  used by 1 site: a.example',
    '  current worker 11 does not hold it: no answer',
    '  the file could not be written; the service retries',
    '  a reload is scheduled',
    '  problem: no',
    '  warning: it is self-signed',
  ]);
  const earlier = { ...served, served_until: '2026-12-01T00:00:00.000Z', runtime_updated: false };
  expect(certificateLines(earlier, now)[1]).toBe(
    '  valid until 2027-02-18 12:00 UTC (in 90 d), but an earlier version is served, until 2026-12-01 00:00 UTC (in 11 d)',
  );
});

describe('the verb', () => {
  let folder: string;
  let listening: Listening | null = null;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'pm-certificate-'));
  });
  afterEach(async () => {
    await listening?.close(0);
    listening = null;
    rmSync(folder, { recursive: true });
  });

  async function serviceOf(certificates: Overrides['certificates'] = {}) {
    const stub = stubApp({ certificates, keys: { authenticate: async () => ({ name: 'ops', scopes: ['admin'] }) } });
    listening = await listen(stub.app, { host: '127.0.0.1', port: 0 });
    return { stub, url: listening.url };
  }

  async function run(url: string, words: readonly string[], input = '') {
    const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
    const output = Promise.all([text(stdout), text(stderr)]);
    stdin.end(input);
    const code = await runCommandLine(['certificate', ...words, '--url', url], {
      environment: { PROXY_MANAGER_API_KEY: `${KEY}-0123456789` },
      homeFolder: folder,
      stdin,
      stdout,
      stderr,
      now: () => now,
      end: (exitCode) => {
        throw new Error(`ended with ${exitCode}`);
      },
    });
    stdout.end();
    stderr.end();
    const [out, err] = await output;
    return { code, out, err };
  }

  const file = (name: string, content: string): string => {
    const path = join(folder, name);
    writeFileSync(path, content);
    return path;
  };

  it('list exits 1 only if certificates expire within the time that was asked for', async () => {
    const { url, stub } = await serviceOf();
    expect((await run(url, ['list'])).code).toBe(0);
    expect((await run(url, ['list', '--expires-within', '14d'])).code).toBe(1);
    expect(stub.calls.at(-1)!.args[0]).toMatchObject({ expiresWithinMs: 14 * 86_400_000 });
    await listening!.close(0);
    const none = await serviceOf({ list: async () => ({ items: [], total: 0, next_cursor: null }) });
    expect(await run(none.url, ['list', '--expires-within', '14d'])).toEqual({ code: 0, out: '', err: '' });
    expect((await run(none.url, ['list', '--expires-within', 'soon'])).code).toBe(2);
  });

  it('add sends the files, or standard input, and exits 3 unless every current worker serves it', async () => {
    const { url, stub } = await serviceOf();
    const { certificate, privateKey } = selfSigned(['a.example']);
    const paths = [file('a.pem', certificate), file('a.key', privateKey)] as const;
    const sent = () => (stub.calls.at(-1)!.args[0] as { upload: unknown }).upload;
    expect((await run(url, ['add', paths[0], '--key', paths[1]])).code).toBe(3);
    expect(sent()).toEqual({ certificate, privateKey });
    await run(url, ['add', paths[0], '--key', '-'], privateKey);
    expect(sent()).toEqual({ certificate, privateKey });
    await run(url, ['add', '-'], certificate + privateKey);
    expect(sent()).toEqual({ certificate: certificate + privateKey, privateKey: undefined });
    await listening!.close(0);
    const good = await serviceOf({ add: async () => ({ ...served, changed: true }) });
    expect(await run(good.url, ['add', paths[0], '--key', paths[1]])).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^c-aaaaaaaaaa is added\n/),
    });
    await listening!.close(0);
    const other = await serviceOf({ add: async () => ({ ...served, handshake: 'other', changed: true }) });
    expect((await run(other.url, ['add', paths[0]])).code).toBe(3);
  });

  it('never takes or prints a key on the command line', async () => {
    const { url, stub } = await serviceOf();
    const { certificate, privateKey } = selfSigned(['a.example']);
    const path = file('a.pem', certificate);
    const tries: readonly (readonly string[])[] = [
      ['add', path, '--key', privateKey],
      ['add', privateKey],
      ['replace', 'c-aaaaaaaaaa', path, `--key=${privateKey}`],
      ['add', path, '--key', file('big', 'x'.repeat(2_000_000))],
      ['add', '-', '--key', '-'],
    ];
    for (const words of tries) {
      const { code, out, err } = await run(url, words);
      // A file is not even looked for under the name of a key.
      expect(code).toBe(words.includes(path) && words.at(-1)?.endsWith('big') ? 1 : 2);
      expect(shownKeyParts(privateKey, out + err)).toEqual([]);
    }
    expect(stub.calls).toEqual([]);
  });

  it('replace, remove and verify take an id, and name --force where the API names force=true', async () => {
    const { url, stub } = await serviceOf();
    const path = file('a.pem', selfSigned(['a.example']).certificate);
    await run(url, ['replace', 'c-aaaaaaaaaa', path, '--force']);
    expect(stub.calls.at(-1)!.args.slice(0, 3)).toMatchObject(['c-aaaaaaaaaa', {}, true]);
    const removed = await run(url, ['remove', 'c-aaaaaaaaaa']);
    expect(removed.code).toBe(3);
    expect(removed.out).toContain('not deleted, as it may be the only copy of a key: /etc/proxy/tls/c-');
    expect(stub.calls.at(-1)!.args.slice(0, 2)).toEqual(['c-aaaaaaaaaa', false]);
    expect((await run(url, ['verify', 'c-aaaaaaaaaa'])).code).toBe(3);
    await listening!.close(0);
    const detail = 'HAProxy serves it for the site a; nothing was changed. To do it anyway, send force=true';
    const refused = await serviceOf({
      remove: async () => {
        throw new ServiceError(codes.CertificateInUse, 'remove', detail, { members: { sites: ['a'], sites_total: 1 } });
      },
    });
    expect((await run(refused.url, ['remove', 'c-aaaaaaaaaa'])).err).toContain('To do it anyway, add --force\n');
  });

  it('show prints the certificate and its chain in PEM on request', async () => {
    const { url } = await serviceOf();
    expect((await run(url, ['show', 'c-aaaaaaaaaa'])).out).toMatch(/^c-aaaaaaaaaa: a\.example\n/);
    expect((await run(url, ['show', 'c-aaaaaaaaaa', '--chain'])).out).toBe(
      '-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n',
    );
  });
});
