import { randomBytes } from 'node:crypto';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NOON, StoreFolder } from '../../testkit/store/store-folder.ts';
import { FakeInstaller, INSTALLED, selfSigned, shownKeyParts } from '../../testkit/tls/uploads.ts';
import type { Caller } from '../api/caller.ts';
import { ServiceError } from '../errors/service-error.ts';
import type { DoneOperation } from '../events/facts.ts';
import { eventsOf } from '../events/operation-events.ts';
import { SECRET_LENGTH, Sealer } from '../secrets/sealed.ts';
import { SecretUnusable } from '../secrets/secret-file.ts';
import { CertificatesStore } from '../store/certificates-store.ts';
import type { Database } from '../store/open-database.ts';
import { CertificateOperations } from './certificate-operations.ts';
import { Certificates } from './certificates.ts';

const caller: Caller = { keyName: 'ops', requestId: 'r1', source: 'unix', receivedAt: 0 };
const site = (domain: string, sendsHsts = false) => ({ domain, names: [domain], sendsHsts });
const request = (names: readonly string[], lasts = 90) => ({
  upload: selfSigned(names, { now: NOON, lasts }),
  allowIncompleteChain: false,
});

let folder: StoreFolder;
let database: Database;
let installer: FakeInstaller;
let sites: ReturnType<typeof site>[];
let done: DoneOperation[];

beforeEach(async () => {
  folder = new StoreFolder();
  database = await folder.open();
  installer = new FakeInstaller();
  sites = [];
  done = [];
});
afterEach(() => folder.remove());

function certificatesOf(sealer = new Sealer(Buffer.alloc(SECRET_LENGTH, 1))): Certificates {
  return new Certificates({
    store: new CertificatesStore(database),
    sealer,
    installer,
    refusedByProxy: async () => null,
    log: { error: () => undefined },
    now: () => NOON,
    most: 3,
  });
}

function operationsOf(
  certificates: Certificates | null = certificatesOf(),
  usedByApi: string | null = null,
): CertificateOperations {
  return new CertificateOperations({
    certificates,
    usedByApi,
    enabledSites: async () => sites,
    emit: (type, data) => {
      if (type === 'operation.done') done.push(data as DoneOperation);
    },
    now: () => NOON,
  });
}

async function refusal(work: Promise<unknown>): Promise<ServiceError> {
  const error = await work.then(
    () => null,
    (cause: unknown) => cause,
  );
  if (error instanceof ServiceError) return error;
  throw error ?? new Error('done');
}

describe('an uploaded certificate', () => {
  it('is answered with its sites and what workers hold, and reported as an event', async () => {
    sites = [site('a.example'), site('shop.b.example'), site('other.example')];
    const operations = operationsOf();
    const answer = await operations.add(request(['a.example', '*.b.example']), caller);
    expect(answer).toMatchObject({
      id: expect.stringMatching(/^c-[a-z2-7]{10}$/),
      names: ['a.example', '*.b.example'],
      state: 'active',
      served_until: answer.not_after,
      self_signed: true,
      warnings: [expect.stringContaining('self-signed')],
      sites: ['a.example', 'shop.b.example'],
      sites_total: 2,
      files: 'durable',
      workers: [{ pid: 812, role: 'current', holds: true, reason: null }],
      runtime_updated: true,
      handshake: 'seen',
      changed: true,
    });
    const { changed: _changed, ...record } = answer;
    expect(await operations.get(answer.id)).toEqual(record);
    expect(await operations.list({ limit: 10 })).toEqual({ items: [record], total: 1, next_cursor: null });
    expect(await operations.chain(answer.id)).toMatch(/^-----BEGIN CERTIFICATE-----\n/);
    const { id, names, not_after, sha256 } = answer;
    expect(done.flatMap(eventsOf)).toEqual([
      {
        type: 'certificate.installed',
        data: { id, created: true, names, not_after, sha256, by: 'ops', runtime_updated: true },
      },
    ]);
  });

  it('shows the date of the version that a current worker still serves', async () => {
    const operations = operationsOf();
    const served = '2026-12-01T00:00:00.000Z';
    const worker = (pid: number, role: 'current' | 'draining', notAfter: string | null) =>
      ({ pid, role, holds: notAfter === null, reason: notAfter && 'no answer', notAfter }) as const;
    installer.report = {
      ...INSTALLED,
      runtimeUpdated: false,
      reloadScheduled: true,
      handshake: 'other',
      handshakeReason: 'an earlier version',
      workers: [worker(7, 'current', served), worker(8, 'draining', '2026-11-30T00:00:00.000Z')],
    };
    const answer = await operations.add(request(['a.example']), caller);
    expect(answer).toMatchObject({
      served_until: served,
      runtime_updated: false,
      reload_scheduled: true,
      handshake_reason: 'an earlier version',
    });
    expect(answer.not_after > served).toBe(true);
    installer.holds.clear();
    expect(await operations.get(answer.id)).toMatchObject({ served_until: null, runtime_updated: null, workers: [] });
  });

  it('that is invalid is refused with the part (110)', async () => {
    const { upload } = request(['a.example']);
    const other = selfSigned(['a.example'], { now: NOON }).privateKey;
    const wrongKey = operationsOf().add(
      { upload: { ...upload, privateKey: other }, allowIncompleteChain: false },
      caller,
    );
    expect(await refusal(wrongKey)).toMatchObject({
      code: 110,
      status: 422,
      fields: [{ name: 'private_key', description: expect.stringContaining('belongs to none') }],
    });
    expect(done).toEqual([]);
  });

  it('with a name of another one is refused with its owner (6042), and beyond the maximum too (6031)', async () => {
    const operations = operationsOf();
    const { id } = await operations.add(request(['a.example']), caller);
    expect(await refusal(operations.add(request(['b.example', 'a.example']), caller))).toMatchObject({
      code: 6042,
      status: 409,
      members: { owned: [{ name: 'a.example', certificate: id }] },
      message: `the name a.example belongs to the certificate ${id}; replace that certificate, or remove it first. Nothing was changed`,
    });
    for (const name of ['b.example', 'c.example']) await operations.add(request([name]), caller);
    expect(await refusal(operations.add(request(['d.example']), caller))).toMatchObject({
      code: 6031,
      members: { current_total: 3, would_be: 4, limit: 3 },
    });
  });
});

describe('a replacement', () => {
  it('that lacks the name of an enabled site needs force', async () => {
    sites = [site('a.example'), site('b.example')];
    const operations = operationsOf();
    const { id } = await operations.add(request(['a.example', 'b.example']), caller);
    expect(await refusal(operations.replace(id, request(['a.example']), false, caller))).toMatchObject({
      code: 6044,
      members: { sites: ['b.example'], sites_total: 1 },
    });
    expect((await operations.get(id)).version).toBe(1);
    expect(await operations.replace(id, request(['a.example']), true, caller)).toMatchObject({
      version: 2,
      sites: ['a.example'],
    });
    expect(done.flatMap(eventsOf).map(({ data }) => 'created' in data && data.created)).toEqual([true, false]);
  });

  it('may name the site by a wildcard, and changes nothing if it is the same', async () => {
    sites = [site('a.b.example')];
    const operations = operationsOf();
    const { id } = await operations.add(request(['a.b.example']), caller);
    const wildcard = request(['*.b.example']);
    expect(await operations.replace(id, wildcard, false, caller)).toMatchObject({ changed: true, version: 2 });
    expect(await operations.replace(id, wildcard, false, caller)).toMatchObject({ changed: false, version: 2 });
  });
});

describe('a removal', () => {
  it('of the certificate of the API is refused, also by force', async () => {
    const { id } = await operationsOf().add(request(['a.example']), caller);
    const operations = operationsOf(certificatesOf(), id);
    expect(await refusal(operations.remove(id, true, caller))).toMatchObject({ code: 6056, status: 409 });
  });

  it('of a certificate of enabled sites needs force', async () => {
    sites = [site('a.example')];
    const operations = operationsOf();
    const { id } = await operations.add(request(['a.example']), caller);
    expect(await refusal(operations.remove(id, false, caller))).toMatchObject({
      code: 6044,
      status: 409,
      members: { sites: ['a.example'], sites_total: 1 },
      message: expect.stringMatching(
        /for the site a\.example, which would lose its certificate; nothing was changed\. To do it anyway/,
      ),
    });
    sites = [site('a.example', true), site('c.example', true)];
    expect(await refusal(operations.remove(id, false, caller))).toMatchObject({
      message: expect.stringContaining('. Browsers that got HSTS of the site a.example will not open it with another'),
    });
    expect(installer.calls).not.toContain('remove');
    expect(await operations.remove(id, true, caller)).toMatchObject({ id, sites: ['a.example'], files: 'durable' });
    expect(done.flatMap(eventsOf).at(-1)).toMatchObject({ type: 'certificate.removed', data: { id } });
    expect(await refusal(operations.remove(id, true, caller))).toMatchObject({ code: 1100 });
  });

  it('of a wildcard needs no force if all its sites have a certificate of their own', async () => {
    sites = [site('a.b.example')];
    const operations = operationsOf();
    await operations.add(request(['a.b.example']), caller);
    const { id } = await operations.add(request(['*.b.example']), caller);
    installer.kept = ['/tls/c-aaaaaaaaaa.pem.newer'];
    expect(await operations.remove(id, false, caller)).toMatchObject({ id, sites: [], kept_files: installer.kept });
  });
});

it('a verification installs it again, and is no event', async () => {
  const operations = operationsOf();
  const { id } = await operations.add(request(['a.example']), caller);
  installer.holds.clear();
  expect(await operations.verify(id, caller)).toMatchObject({ id, runtime_updated: true });
  expect(installer.calls).toEqual(['install a.example', 'install a.example']);
  expect(done.map(({ operation }) => operation)).toEqual(['set_certificate', 'verify_certificate']);
  expect(done.flatMap(eventsOf)).toHaveLength(1);
});

it('a key that cannot be opened, and a secret that cannot be used, are 6045 with what to do', async () => {
  const { id } = await operationsOf().add(request(['a.example']), caller);
  const lost = operationsOf(certificatesOf(new Sealer(randomBytes(SECRET_LENGTH))));
  expect(await refusal(lost.verify(id, caller))).toMatchObject({
    code: 6045,
    status: 503,
    message: expect.stringContaining('put the secret file that belongs to this database back'),
  });
  expect(await lost.get(id)).toMatchObject({ problem: expect.stringContaining('put the secret file') });
  const unusable = certificatesOf();
  unusable.create = () => Promise.reject(new SecretUnusable('missing', 'the secret /x is missing'));
  const upload = operationsOf(unusable).add(request(['b.example']), caller);
  expect(await refusal(upload)).toMatchObject({ code: 6045, message: 'the secret /x is missing' });
});

it('without TLS every operation names the setting (6043)', async () => {
  const operations = operationsOf(null);
  const works = [
    operations.list({ limit: 1 }),
    operations.get('c-a'),
    operations.add(request(['a.example']), caller),
    operations.replace('c-a', request(['a.example']), false, caller),
    operations.remove('c-a', false, caller),
    operations.chain('c-a'),
    operations.verify('c-a', caller),
  ];
  for (const work of works) {
    expect(await refusal(work)).toMatchObject({
      code: 6043,
      status: 409,
      members: { setting: 'PROXY_MANAGER_HTTPS_BIND' },
    });
  }
});

it('an unknown certificate is 1100', async () => {
  const operations = operationsOf();
  const works = [
    operations.get('c-a'),
    operations.replace('c-a', request(['a.example']), false, caller),
    operations.replace('c-a', request(['a.example']), true, caller),
    operations.remove('c-a', false, caller),
    operations.chain('c-a'),
    operations.verify('c-a', caller),
  ];
  for (const work of works)
    expect(await refusal(work)).toMatchObject({ code: 1100, message: 'there is no certificate c-a' });
});

it('no key is in an answer, a fact or an error', async () => {
  const operations = operationsOf();
  const outputs: unknown[] = [];
  const keys: string[] = [];
  for (const name of ['a.example', 'b.example']) {
    const one = request([name]);
    keys.push(one.upload.privateKey);
    const answer = await operations.add(one, caller);
    outputs.push(answer, await operations.verify(answer.id, caller), await operations.chain(answer.id));
    outputs.push(await refusal(operations.add(one, caller)));
    outputs.push(await refusal(operations.add({ ...one, upload: { certificate: one.upload.privateKey } }, caller)));
    outputs.push(
      await operations.replace(answer.id, one, false, caller),
      await operations.remove(answer.id, true, caller),
    );
  }
  const text = `${JSON.stringify([outputs, done])}\n${inspect([outputs, done], { depth: 9, maxStringLength: null })}`;
  for (const key of keys) expect(shownKeyParts(key, text)).toEqual([]);
});
