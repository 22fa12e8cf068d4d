import { copyFile, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { connect as connectPlain } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { untilPasses } from '../../testkit/conditions.ts';
import { BEARER, KEY, stubApp } from '../../testkit/http/stub-services.ts';
import { selfSigned, shownKeyParts } from '../../testkit/tls/uploads.ts';
import { connect } from '../client/node-client.ts';
import { type Listening, listen, replaceCertificate } from './listen.ts';
import { ListenCertificate } from './listen-certificate.ts';

let folder: string;
let certificate: string;
let key: string;
const open: { close(graceMs: number): Promise<number> }[] = [];
const watched: ListenCertificate[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pm-listen-'));
  certificate = join(folder, 'api.pem');
  key = join(folder, 'api.key');
});
afterEach(async () => {
  for (const one of watched.splice(0)) await one.stop();
  for (const one of open.splice(0)) await one.close(0);
  await rm(folder, { recursive: true });
});

async function write(pair = selfSigned(['localhost'])) {
  await writeFile(certificate, pair.certificate);
  await writeFile(key, pair.privateKey);
  return pair;
}

function log() {
  const lines: { message: string; cause?: unknown }[] = [];
  const write = (message: string, fields: object = {}) => void lines.push({ message, ...fields });
  return { lines, info: write, warn: write };
}

async function opened(now = () => new Date()) {
  const lines = log();
  const one = await ListenCertificate.open({ certificate, key, standIn: null }, { log: lines, now, everyMs: 10 });
  watched.push(one);
  return { certificate: one, lines: lines.lines };
}

async function listening(options: Parameters<typeof stubApp>[1] = {}) {
  await write();
  const { certificate: own } = await opened();
  const { app } = stubApp({}, { ...options, tls: own.options });
  const one: Listening = await listen(app, { host: '127.0.0.1', port: 0 });
  open.push(one);
  own.watch((changed) => replaceCertificate(app, changed));
  return { url: one.url, port: Number(new URL(one.url).port), listening: one };
}

async function both(path: string) {
  const pair = selfSigned(['localhost']);
  await replace(path, pair.certificate + pair.privateKey);
  return pair;
}

/** At once: a file is never read half-written. */
async function replace(path: string, content: string): Promise<void> {
  await writeFile(`${path}~`, content);
  await rename(`${path}~`, path);
}

/** In place of the certificate. */
async function link(target: string): Promise<void> {
  await symlink(basename(target), `${certificate}~`);
  await rename(`${certificate}~`, certificate);
}

/** After its handshake. */
function secure(port: number): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false }, () => resolve(socket));
    socket.once('error', reject);
  });
}

function closed(socket: { once(event: 'close', listener: () => void): unknown }): Promise<void> {
  return new Promise((resolve) => socket.once('close', () => resolve()));
}

async function fingerprintAt(port: number): Promise<string> {
  const socket = await secure(port);
  const { fingerprint256 } = socket.getPeerX509Certificate()!;
  socket.destroy();
  return fingerprint256;
}

describe('the API over TLS', () => {
  it('answers with the certificate of the files', async () => {
    const { url, port } = await listening();
    expect(url).toBe(`https://127.0.0.1:${port}`);
    const socket = await secure(port);
    socket.write(`GET /livez HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
    let text = '';
    for await (const chunk of socket.setEncoding('utf8')) text += chunk;
    expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*alive$/);
  });

  it('does not answer plain HTTP, and refuses TLS 1.1', async () => {
    const { port } = await listening();
    const plain = connectPlain(port, '127.0.0.1');
    plain.write('GET /livez HTTP/1.1\r\nHost: a\r\n\r\n');
    let text = '';
    plain.on('data', (chunk) => (text += chunk));
    await closed(plain);
    expect(text).not.toContain('alive');
    const old = connectTls({
      port,
      host: '127.0.0.1',
      rejectUnauthorized: false,
      maxVersion: 'TLSv1.1',
      minVersion: 'TLSv1',
    });
    await expect(
      new Promise((resolve, reject) => old.once('secureConnect', resolve).once('error', reject)),
    ).rejects.toThrow();
  });

  it('ends the oldest connection without a handshake at the limit, not one with a valid key', async () => {
    const { port } = await listening({ limits: { connections: 3 } });
    const keyed = await secure(port);
    const answered = new Promise((resolve) => keyed.once('data', resolve));
    keyed.write(`GET /api/sites HTTP/1.1\r\nHost: a\r\nAuthorization: ${BEARER.authorization}\r\n\r\n`);
    await answered;
    const silent = Array.from({ length: 4 }, () => connectPlain(port, '127.0.0.1'));
    await Promise.all([closed(silent[0]!), closed(silent[1]!)]);
    expect(keyed.destroyed).toBe(false);
    const again = new Promise((resolve) => keyed.once('data', resolve));
    keyed.write(`GET /livez HTTP/1.1\r\nHost: a\r\n\r\n`);
    expect(String(await again)).toContain('alive');
    for (const one of [...silent, keyed]) one.destroy();
  });

  it('closes although a connection never begins its handshake', async () => {
    const { port, listening: one } = await listening({ timeouts: { handshake: 600_000 } });
    const silent = connectPlain(port, '127.0.0.1');
    await new Promise((resolve) => silent.once('connect', resolve));
    await secure(port).then((socket) => socket.destroy());
    open.length = 0;
    await Promise.all([closed(silent), one.close(60_000)]);
  });

  it('says to the command line why its certificate is not accepted', async () => {
    const { url } = await listening();
    const call = connect({ url, key: KEY }).GET('/api/sites');
    await expect(call).rejects.toThrow(/its certificate is not from a known authority; .*NODE_EXTRA_CA_CERTS/);
  });
});

describe('the files', () => {
  it('are read again when they change, and new connections get the new certificate', async () => {
    const { port } = await listening();
    const before = await fingerprintAt(port);
    await write();
    await untilPasses(async () => expect(await fingerprintAt(port)).not.toBe(before));
  });

  it('that become unusable leave the last certificate in use, reported once', async () => {
    await write();
    const { certificate: own, lines } = await opened();
    const applied: unknown[] = [];
    own.watch((options) => void applied.push(options));
    const other = selfSigned(['localhost']);
    await replace(certificate, other.certificate);
    await untilPasses(() => expect(lines).toHaveLength(1));
    expect(lines[0]).toEqual({
      message: 'API certificate not replaced; the earlier one stays in use',
      cause: `${key} does not have the private key of the first certificate of ${certificate}`,
    });
    expect(own.notices()).toEqual([expect.stringContaining('the API still uses its earlier certificate')]);
    expect(applied).toEqual([]);
    await replace(key, other.privateKey);
    await untilPasses(() => expect(applied).toHaveLength(1));
    expect(lines.map(({ message }) => message)).toEqual([expect.any(String), 'API certificate replaced']);
    expect(own.notices()).toEqual([]);
  });

  it('are refused at the start with the file and the reason, and without a character of a key', async () => {
    const { privateKey, certificate: pem } = selfSigned(['localhost']);
    const cases: readonly (readonly [string | null, string | null, string])[] = [
      [null, privateKey, `${certificate} cannot be read: ENOENT`],
      [pem, null, `${key} cannot be read: ENOENT`],
      [privateKey, privateKey, `${certificate} contains no certificate in PEM`],
      [pem, pem, `${key} contains no private key in PEM`],
      [pem, selfSigned(['localhost']).privateKey, `${key} does not have the private key of the first certificate`],
    ];
    for (const [first, second, why] of cases) {
      await rm(certificate, { force: true });
      await rm(key, { force: true });
      if (first !== null) await writeFile(certificate, first);
      if (second !== null) await writeFile(key, second);
      const refused = await opened().catch((error: Error) => error);
      expect(refused).toMatchObject({ message: expect.stringContaining(why) });
      expect(shownKeyParts(privateKey, String(refused))).toEqual([]);
    }
  });

  it('may be one', async () => {
    const pair = selfSigned(['localhost']);
    await writeFile(certificate, pair.certificate + pair.privateKey);
    const { warn, info } = log();
    const own = await ListenCertificate.open(
      { certificate, key: null, standIn: null },
      { log: { warn, info }, now: () => new Date() },
    );
    expect(own.options.key).toContain('PRIVATE KEY');
  });

  it('that the service replaced by the default certificate leave the last one in use, and do not keep it from starting', async () => {
    const standIn = join(folder, 'default.pem');
    const files = { certificate, key: null, standIn };
    await both(standIn);
    const own = await both(certificate);
    const { lines, ...to } = log();
    const deps = { log: to, now: () => new Date(), everyMs: 10 };
    const running = await ListenCertificate.open(files, deps);
    watched.push(running);
    running.watch(() => expect.unreachable('it is replaced'));
    await link(standIn);
    await untilPasses(() => expect(lines).toHaveLength(1));
    expect(running.options.cert).toContain(own.certificate);
    expect(running.notices()).toEqual([expect.stringContaining('still uses its earlier certificate: HAProxy refuses')]);
    const started = await ListenCertificate.open(files, deps);
    watched.push(started);
    expect(started.notices()).toEqual([expect.stringContaining('the API serves the default certificate: HAProxy')]);
    const applied: unknown[] = [];
    started.watch((options) => void applied.push(options));
    await both(certificate);
    await untilPasses(() => expect(applied).toHaveLength(1));
    expect(started.notices()).toEqual([]);
  });

  it('that are replaced by a link through another path to the folder are noticed too', async () => {
    const path = `${folder}~`;
    await symlink(folder, path);
    try {
      const standIn = join(path, 'default.pem');
      await both(standIn);
      await symlink(join(folder, 'default.pem'), certificate);
      const { lines, ...to } = log();
      const deps = { log: to, now: () => new Date() };
      const one = await ListenCertificate.open({ certificate: join(path, 'api.pem'), key: null, standIn }, deps);
      expect(one.notices()).toEqual([expect.stringContaining('the API serves the default certificate: HAProxy')]);
      expect(lines.map(({ message }) => message)).toEqual(['API serves the default certificate']);
    } finally {
      await rm(path);
    }
  });

  it.each([
    ['a link to it', async (to: string) => await symlink(certificate, to)],
    ['a copy of it', async (to: string) => await copyFile(certificate, to)],
  ])('that are served by default too, by %s, are renewed', async (_what, make) => {
    const standIn = join(folder, 'default.pem');
    await both(certificate);
    await make(standIn);
    const { lines, ...to } = log();
    const running = await ListenCertificate.open(
      { certificate, key: null, standIn },
      { log: to, now: () => new Date(), everyMs: 10 },
    );
    watched.push(running);
    const applied: { cert: string }[] = [];
    running.watch((options) => void applied.push(options));
    expect(running.notices()).toEqual([]);
    const renewed = await both(certificate);
    await untilPasses(() => expect(applied.at(-1)?.cert).toContain(renewed.certificate));
    expect(running.notices()).toEqual([]);
    expect(lines.map(({ message }) => message)).toEqual(['API certificate replaced']);
  });

  it('that expire soon are a notice', async () => {
    await write(selfSigned(['localhost'], { lasts: 20 }));
    const notices = async (days: number) =>
      (await opened(() => new Date(Date.now() + days * 86_400_000))).certificate.notices();
    expect(await notices(5)).toEqual([]);
    expect(await notices(7)).toEqual([expect.stringMatching(/^the certificate of the API expires at .*: replace /)]);
    expect(await notices(21)).toEqual([expect.stringMatching(/^the certificate of the API expired at /)]);
  });
});
