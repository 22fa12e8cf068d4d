import { randomBytes, X509Certificate } from 'node:crypto';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { NOON, StoreFolder } from '../../testkit/store/store-folder.ts';
import { FakeInstaller, INSTALLED, selfSigned, shownKeyParts } from '../../testkit/tls/uploads.ts';
import type { Caller } from '../api/caller.ts';
import { SECRET_LENGTH, Sealer } from '../secrets/sealed.ts';
import { AuditStore } from '../store/audit-store.ts';
import { CertificatesStore } from '../store/certificates-store.ts';
import type { Database } from '../store/open-database.ts';
import { type CertificateOutcome, Certificates } from './certificates.ts';

const DAY = 86_400_000;
const caller: Caller = { keyName: 'ops', requestId: 'r1', source: 'unix', receivedAt: 0 };
const upload = (names: readonly string[], { lasts = 90 } = {}) => selfSigned(names, { now: NOON, lasts });

let folder: StoreFolder;
let database: Database;
let installer: FakeInstaller;
let refusal: string | null;
let now: Date;
const logged: unknown[] = [];

beforeEach(async () => {
  folder = new StoreFolder();
  database = await folder.open();
  installer = new FakeInstaller();
  refusal = null;
  now = NOON;
  logged.length = 0;
});
afterEach(() => folder.remove());

function serviceOf(sealer = new Sealer(Buffer.alloc(SECRET_LENGTH, 1)), most = 5): Certificates {
  return new Certificates({
    store: new CertificatesStore(database),
    sealer,
    installer,
    refusedByProxy: async () => refusal,
    log: { error: (message, fields) => void logged.push({ message, ...fields }) },
    now: () => now,
    most,
  });
}

function accepted(outcome: CertificateOutcome) {
  if (!outcome.ok) throw new Error(inspect(outcome));
  return outcome;
}

const auditRows = async () => (await new AuditStore(database).page({ limit: 100 })).items;

describe('an upload', () => {
  it('is stored, installed and listed', async () => {
    const service = serviceOf();
    const given = upload(['shop.example.com', '*.example.com']);
    const { certificate, changed } = accepted(await service.create(given, {}, caller));
    expect(changed).toBe(true);
    expect(certificate).toMatchObject({
      id: expect.stringMatching(/^c-[a-z2-7]{10}$/),
      source: 'upload',
      version: 1,
      names: ['shop.example.com', '*.example.com'],
      state: 'active',
      daysLeft: 90,
      warnings: [expect.stringContaining('self-signed')],
      installation: INSTALLED,
      problem: null,
      details: { keyType: 'P-256', isSelfSigned: true },
    });
    const held = installer.holds.get(certificate.id)!;
    expect(held).toMatchObject({ names: certificate.names, chainSubjects: [] });
    expect(held.pem.reveal()).toBe(given.certificate + given.privateKey);
    expect(held.sha1).toBe(new X509Certificate(given.certificate).fingerprint.replaceAll(':', ''));
    expect(await service.get(certificate.id)).toEqual(certificate);
    expect((await service.list({ limit: 10 })).items).toEqual([certificate]);
    expect(await service.chain(certificate.id)).toBe(given.certificate);
    expect((await service.all()).map((one) => ({ ...one, pem: one.pem.reveal() }))).toEqual([
      { ...held, pem: held.pem.reveal() },
    ]);
    expect(await auditRows()).toMatchObject([
      {
        operation: 'set_certificate',
        key: 'ops',
        target: certificate.id,
        details: { names: certificate.names, names_total: 2, not_after: certificate.notAfter },
      },
    ]);
  });

  it('is stored before it is installed', async () => {
    const service = serviceOf();
    let stored = 0;
    installer.meanwhile = async () => {
      stored = (await service.all()).length;
    };
    await service.create(upload(['a.example']), {}, caller);
    expect(stored).toBe(1);
  });

  it('that is invalid, or that HAProxy refuses, changes nothing', async () => {
    const service = serviceOf();
    const { certificate } = upload(['a.example']);
    expect(await service.create({ certificate, privateKey: upload(['a.example']).privateKey }, {}, caller)).toEqual({
      ok: false,
      kind: 'invalid',
      part: 'privateKey',
      why: expect.stringContaining('belongs to none of the certificates'),
    });
    refusal = 'ee key too small';
    expect(await service.create(upload(['a.example']), {}, caller)).toMatchObject({
      kind: 'invalid',
      part: 'certificate',
      why: 'HAProxy refuses it: ee key too small',
    });
    expect(await service.all()).toEqual([]);
    expect(installer.calls).toEqual([]);
    expect(await auditRows()).toEqual([]);
  });

  it('with a name of another certificate names the owner and changes nothing', async () => {
    const service = serviceOf();
    const { certificate } = accepted(await service.create(upload(['a.example', 'b.example']), {}, caller));
    expect(await service.create(upload(['c.example', 'b.example']), {}, caller)).toEqual({
      ok: false,
      kind: 'owned',
      owned: [{ name: 'b.example', certificate: certificate.id }],
    });
    expect(installer.calls).toEqual(['install a.example,b.example']);
  });

  it('beyond the maximum is refused', async () => {
    const service = serviceOf(undefined, 1);
    const outcomes = await Promise.all(
      ['a.example', 'b.example'].map((name) => service.create(upload([name]), {}, caller)),
    );
    expect(outcomes.map(({ ok }) => ok)).toEqual([true, false]);
    expect(outcomes[1]).toEqual({ ok: false, kind: 'full', most: 1 });
  });

  it('that cannot be installed stays stored, and says why', async () => {
    const service = serviceOf();
    installer.failure = new Error('no worker answered');
    const { certificate } = accepted(await service.create(upload(['a.example']), {}, caller));
    expect(certificate).toMatchObject({
      installation: null,
      problem: 'stored, but not installed: no worker answered',
    });
    expect(await service.all()).toHaveLength(1);
    expect(logged).toEqual([
      { message: 'Certificate not installed', certificate: certificate.id, cause: 'no worker answered' },
    ]);
  });
});

describe('a replacement', () => {
  it('keeps the id and takes the names of the new certificate', async () => {
    const service = serviceOf();
    const { id } = accepted(await service.create(upload(['a.example', 'b.example']), {}, caller)).certificate;
    const renewed = upload(['a.example', 'c.example'], { lasts: 200 });
    expect(accepted(await service.replace(id, renewed, {}, caller)).certificate).toMatchObject({
      id,
      version: 2,
      names: ['a.example', 'c.example'],
      daysLeft: 200,
    });
    expect(installer.holds.get(id)!.pem.reveal()).toBe(renewed.certificate + renewed.privateKey);
    expect(await service.replace('c-aaaaaaaaaa', renewed, {}, caller)).toEqual({ ok: false, kind: 'absent' });
  });

  it('is not served before the new version is installed', async () => {
    const service = serviceOf();
    const { certificate } = accepted(await service.create(upload(['a.example']), {}, caller));
    expect(service.whyNotServed(certificate.id)).toBeNull();
    const seen: (string | null)[] = [];
    installer.meanwhile = async () => void seen.push(service.whyNotServed(certificate.id));
    accepted(await service.replace(certificate.id, upload(['a.example', 'b.example']), {}, caller));
    expect([...seen, service.whyNotServed(certificate.id)]).toEqual(['it is being replaced', null]);
  });

  it('with the same certificate makes no version, and installs it again', async () => {
    const service = serviceOf();
    const given = upload(['a.example']);
    const { id } = accepted(await service.create(given, {}, caller)).certificate;
    installer.holds.clear();
    const again = accepted(await service.replace(id, given, {}, caller));
    expect(again).toMatchObject({ changed: false, certificate: { version: 1, installation: INSTALLED } });
    expect(await auditRows()).toHaveLength(1);
  });

  it('by several requests at once leaves workers and database with the same one', async () => {
    const service = serviceOf();
    const { id } = accepted(await service.create(upload(['a.example']), {}, caller)).certificate;
    await Promise.all(Array.from({ length: 5 }, () => service.replace(id, upload(['a.example']), {}, caller)));
    expect((await service.get(id))!.version).toBe(6);
    expect(installer.holds.get(id)!.pem.reveal()).toBe((await service.all())[0]!.pem.reveal());
  });
});

describe('a removal', () => {
  it('takes it from the workers, then from the database, and no reload writes it meanwhile', async () => {
    const service = serviceOf();
    const { id } = accepted(await service.create(upload(['a.example']), {}, caller)).certificate;
    const seen: unknown[] = [];
    installer.meanwhile = async () => {
      seen.push((await service.get(id))?.id, await service.all());
    };
    const deleteFile = installer.deleteFile.bind(installer);
    installer.deleteFile = async (deleted) => {
      seen.push(await service.get(deleted));
      return await deleteFile(deleted);
    };
    expect(await service.remove(id, caller)).toEqual({ id, installation: INSTALLED, keptFiles: [] });
    expect(seen).toEqual([id, [], null]);
    expect(installer.files.size).toBe(0);
    expect(await service.get(id)).toBeNull();
    expect(installer.holds.size).toBe(0);
    expect((await auditRows())[0]).toMatchObject({ operation: 'remove_certificate', target: id });
    expect(await service.remove(id, caller)).toBeNull();
  });

  it('that the installer cannot do changes nothing, and can be repeated', async () => {
    const service = serviceOf();
    const { id } = accepted(await service.create(upload(['a.example']), {}, caller)).certificate;
    installer.failure = new Error('no worker answered');
    await expect(service.remove(id, caller)).rejects.toThrow('no worker answered');
    expect(await service.all()).toHaveLength(1);
    installer.failure = null;
    expect(await service.remove(id, caller)).toMatchObject({ id });
  });

  it('that the database cannot store is served again', async () => {
    const service = serviceOf();
    const { id } = accepted(await service.create(upload(['a.example']), {}, caller)).certificate;
    installer.meanwhile = async () => {
      installer.meanwhile = async () => undefined;
      vi.spyOn(CertificatesStore.prototype, 'remove').mockRejectedValueOnce(new Error('the disk is full'));
    };
    await expect(service.remove(id, caller)).rejects.toThrow('the disk is full');
    expect([...installer.holds.keys()]).toEqual([id]);
    expect(await service.all()).toHaveLength(1);
  });

  it('that the database cannot store leaves the only copy of a key where it is', async () => {
    const { id } = accepted(await serviceOf().create(upload(['a.example']), {}, caller)).certificate;
    const service = serviceOf(new Sealer(randomBytes(SECRET_LENGTH)));
    vi.spyOn(CertificatesStore.prototype, 'remove').mockRejectedValueOnce(new Error('the disk is full'));
    await expect(service.remove(id, caller)).rejects.toThrow('the disk is full');
    expect([...installer.files]).toEqual([id]);
    expect(installer.calls.at(-1)).toBe(`relist ${id}`);
  });

  it('says that the key is still in its file if that cannot be deleted', async () => {
    const service = serviceOf();
    const { id } = accepted(await service.create(upload(['a.example']), {}, caller)).certificate;
    installer.deletes = false;
    expect(await service.remove(id, caller)).toMatchObject({ id, installation: { ...INSTALLED, files: 'pending' } });
  });
});

it('certificates are read by their ids where a few are needed', async () => {
  const service = serviceOf();
  const created = [];
  for (const name of ['a.example', 'b.example']) created.push(await service.create(upload([name]), {}, caller));
  const [, second] = created.map((one) => accepted(one).certificate.id);
  expect((await service.all(new Set([second!]))).map(({ id }) => id)).toEqual([second]);
});

it('an expired certificate is listed as such', async () => {
  const service = serviceOf();
  await service.create(upload(['a.example'], { lasts: 1 }), {}, caller);
  now = new Date(NOON.getTime() + DAY);
  expect((await service.list({ limit: 10, state: 'expired' })).items).toMatchObject([
    { state: 'expired', daysLeft: 0 },
  ]);
});

it('a lost secret leaves certificates listed with what to do, and an upload makes one usable again', async () => {
  const given = upload(['a.example']);
  const { id } = accepted(await serviceOf().create(given, {}, caller)).certificate;
  const service = serviceOf(new Sealer(randomBytes(SECRET_LENGTH)));
  expect(await service.all()).toEqual([]);
  const why = expect.stringContaining('put the secret file that belongs to this database back');
  expect(await service.unreadable()).toEqual([{ id, why }]);
  expect(await service.get(id)).toMatchObject({ id, installation: INSTALLED, problem: why });
  const again = accepted(await service.replace(id, given, {}, caller));
  expect(again).toMatchObject({ changed: true, certificate: { version: 2, problem: null } });
  expect(await service.unreadable()).toEqual([]);
});

it('no key is in the database, the audit log, the log, results or errors', async () => {
  const service = serviceOf();
  const outputs: unknown[] = [];
  const keys: string[] = [];
  for (const failure of [null, new Error('no worker answered')]) {
    installer.failure = failure;
    const given = upload([`${keys.length}.example`]);
    keys.push(given.privateKey);
    outputs.push(await service.create(given, {}, caller), await service.create(given, {}, caller));
    outputs.push(await service.create({ ...given, privateKey: `${given.privateKey}x` }, {}, caller));
    outputs.push(await service.create({ certificate: given.privateKey }, {}, caller));
  }
  outputs.push(
    await service.list({ limit: 10 }),
    await service.all(),
    await service.unreadable(),
    logged,
    await auditRows(),
  );
  for (const table of ['certificates', 'certificate_versions', 'certificate_names', 'audit'] as const) {
    const rows = await database.read.selectFrom(table).selectAll().execute();
    outputs.push(
      rows,
      rows.map((row) => Object.values(row).map((value) => (Buffer.isBuffer(value) ? value.toString('latin1') : value))),
    );
  }
  const text = `${JSON.stringify(outputs)}\n${inspect(outputs, { depth: 9, maxStringLength: null, showHidden: true })}`;
  for (const key of keys) expect(shownKeyParts(key, text)).toEqual([]);
});
