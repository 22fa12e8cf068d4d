import SqliteDatabase from 'better-sqlite3';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { backBefore0018, backBefore0027, NOON, StoreFolder } from '../../testkit/store/store-folder.ts';
import type { AuditedChange } from './audit-rows.ts';
import { AuditStore } from './audit-store.ts';
import { type CertificateQuery, CertificatesStore, type CertificateVersion } from './certificates-store.ts';
import type { Database } from './open-database.ts';
import { SitesStore } from './sites-store.ts';

let folder: StoreFolder;
let database: Database;
let store: CertificatesStore;
beforeEach(async () => {
  folder = new StoreFolder();
  database = await folder.open();
  store = new CertificatesStore(database);
});
afterEach(() => folder.remove());

const DAY = 86_400_000;
const days = (count: number) => new Date(NOON.getTime() + count * DAY);
const idOf = (letter: string) => `c-${letter.repeat(10)}`;
const [A, B, C] = ['a', 'b', 'c'].map(idOf) as [string, string, string];

function version(
  names: readonly string[],
  { lasts = 90, serial = '01', issuer = 'CN=Middle' } = {},
): CertificateVersion {
  return {
    names,
    notBefore: days(-1).toISOString(),
    notAfter: days(lasts).toISOString(),
    issuer,
    sha256: `ab${serial}`,
    sha1: `AB${serial}`,
    details: {
      subject: 'CN=shop',
      serial,
      keyType: 'P-256',
      keyBits: null,
      isSelfSigned: false,
      otherNames: [],
      chain: ['CN=Middle'],
      missing: null,
    },
    chainPem: `chain ${serial}`,
    publicKeySha256: `cd${serial}`,
    keySealed: Buffer.from(`sealed ${serial}`),
  };
}

const note = (target: string): AuditedChange => ({
  note: { operation: 'set_certificate', keyName: 'ops', source: 'unix', requestId: null, target },
  written: () => undefined,
});

async function audited(): Promise<unknown[]> {
  return (await new AuditStore(database).page({ limit: 100 })).items.map(({ target }) => target);
}

describe('a certificate', () => {
  it('is stored as it was given, and read back', async () => {
    const given = version(['shop.example.com', '*.example.com']);
    const stored = {
      ...given,
      keySealed: Buffer.from('sealed 01'),
      id: A,
      source: 'upload',
      version: 1,
      createdAt: NOON.toISOString(),
      updatedAt: NOON.toISOString(),
    };
    expect(await store.create(A, given, NOON)).toEqual(stored);
    expect(await store.get(A)).toEqual(stored);
    expect(await store.all()).toEqual([stored]);
    expect(await store.count()).toBe(1);
    expect(await store.get(B)).toBeNull();
  });

  it('is replaced by a new version, and the last two are kept', async () => {
    await store.create(A, version(['a.example', 'old.example']), NOON);
    for (const [index, serial] of ['02', '03'].entries()) {
      expect(await store.replace(A, version(['a.example', 'new.example'], { serial }), days(index + 1))).toMatchObject({
        id: A,
        version: index + 2,
        names: ['a.example', 'new.example'],
        sha1: `AB${serial}`,
        createdAt: NOON.toISOString(),
        updatedAt: days(index + 1).toISOString(),
      });
    }
    const kept = await database.read.selectFrom('certificate_versions').select(['version', 'sha1']).execute();
    expect(kept).toEqual([
      { version: 2, sha1: 'AB02' },
      { version: 3, sha1: 'AB03' },
    ]);
    // A name that the new version lacks is free.
    expect(await store.create(B, version(['old.example']), NOON)).toMatchObject({ id: B });
    expect(await store.replace(C, version(['c.example']), NOON)).toBeNull();
  });

  it('that has a name of another one is refused with the owners, and nothing is changed', async () => {
    await store.create(A, version(['a.example', 'x.example']), NOON, note(A));
    await store.create(B, version(['*.example', 'y.example']), NOON, note(B));
    const before = await store.all();
    const names = ['y.example', 'c.example', 'a.example'];
    const owned = [
      { name: 'y.example', certificate: B },
      { name: 'a.example', certificate: A },
    ];
    expect(await store.create(C, version(names), NOON, note(C))).toEqual({ owned });
    expect(await store.replace(B, version(['y.example', 'a.example']), NOON, note(B))).toEqual({ owned: [owned[1]] });
    expect(await store.all()).toEqual(before);
    expect(await audited()).toEqual([B, A]);
    expect(await database.read.selectFrom('certificate_versions').select('version').execute()).toHaveLength(2);
  });

  it('is removed with its versions and names', async () => {
    await store.create(A, version(['a.example']), NOON);
    await store.replace(A, version(['b.example'], { serial: '02' }), NOON);
    expect(await store.remove(A, NOON)).toMatchObject({ id: A, version: 2, names: ['b.example'] });
    expect(await store.remove(A, NOON)).toBeNull();
    for (const table of ['certificates', 'certificate_versions', 'certificate_names'] as const) {
      expect(await database.read.selectFrom(table).selectAll().execute()).toEqual([]);
    }
  });

  it('remembers for each version what was reported of its end', async () => {
    await store.create(A, version(['a.example']), NOON);
    await store.create(B, version(['b.example']), NOON);
    await store.setReportedStage(A, 1, 1);
    await store.setReportedStage(A, 1, 3);
    await store.setReportedStage(A, 2, 1);
    await store.replace(A, version(['a.example'], { serial: '02' }), NOON);
    expect([...(await store.reportedStages())]).toEqual([[`${A}/1`, 3]]);
    expect(await store.get(A)).toMatchObject({ version: 2, details: version([], { serial: '02' }).details });
  });

  it('is known to have been removed only if it was, with its versions', async () => {
    const change = (operation: string, target: string, sha256: string | null): AuditedChange => ({
      note: {
        operation,
        keyName: null,
        source: null,
        requestId: null,
        target,
        details: sha256 === null ? null : { sha256 },
      },
      written: () => undefined,
    });
    for (const id of [A, B]) {
      await store.create(id, version([`${id}.example`]), NOON, change('set_certificate', id, `${id}-1`));
      await store.replace(id, version([`${id}.example`]), NOON, change('set_certificate', id, `${id}-2`));
    }
    await store.remove(A, NOON, change('remove_certificate', A, `${A}-2`));
    // A refused removal has a row too.
    await store.create(C, version(['c.example']), NOON, change('remove_certificate', B, null));
    expect(await store.removedAmong([A, B, C])).toEqual(new Map([[A, new Set([`${A}-1`, `${A}-2`])]]));
  });

  it('is recorded in the audit log with its change, or not at all', async () => {
    const written: number[] = [];
    const change = (target: string) => ({ ...note(target), written: (id: number) => void written.push(id) });
    await store.create(A, version(['a.example']), NOON, change(A));
    await store.replace(A, version(['a.example'], { serial: '02' }), NOON, change(A));
    await store.replace(B, version(['b.example']), NOON, change(B));
    await store.remove(B, NOON, change(B));
    await store.remove(A, NOON, change(A));
    expect(await audited()).toEqual([A, A, A]);
    expect(written).toHaveLength(3);
    await expect(
      store.create(A, { ...version(['a.example']), chainPem: null as unknown as string }, NOON, change(A)),
    ).rejects.toThrow();
    expect(await audited()).toHaveLength(3);
    expect(await store.count()).toBe(0);
  });
});

describe('a list of certificates', () => {
  const find = async (query: Partial<CertificateQuery>) =>
    (await store.page({ limit: 100, now: NOON, ...query })).items.map(({ id }) => id);

  beforeEach(async () => {
    await store.create(A, version(['shop.example.com', '*.example.com'], { lasts: 90 }), NOON);
    await store.create(B, version(['x.example'], { lasts: -0.5, issuer: 'O=Old, CN=R3' }), NOON);
    await store.create(C, version(['example.net'], { lasts: 10 }), NOON);
  });

  it('has those first that expire first', async () => {
    expect(await find({})).toEqual([B, C, A]);
  });

  it.each<[string, Partial<CertificateQuery>, string[]]>([
    ['active ones', { state: 'active' }, [C, A]],
    ['expired ones', { state: 'expired' }, [B]],
    ['what has just expired', { state: 'expired', now: days(10) }, [B, C]],
    ['what has not just expired', { state: 'active', now: days(10) }, [A]],
    ['what expires now', { expiresWithinMs: 0 }, [B]],
    ['what expires in ten days', { expiresWithinMs: 10 * DAY }, [B, C]],
    ['what expires a moment earlier', { expiresWithinMs: 10 * DAY - 1 }, [B]],
    ['what expires at any time', { expiresWithinMs: Number.MAX_SAFE_INTEGER }, [B, C, A]],
    ['part of a name', { q: 'EXAMPLE' }, [B, C, A]],
    ['a name', { q: 'shop.example.com' }, [A]],
    ['a host of a wildcard', { q: 'www.example.com' }, [A]],
    ['a host below one', { q: 'a.www.example.com' }, []],
    ['a wildcard', { q: '*.example.com' }, [A]],
    ['the issuer', { q: 'cn=r3' }, [B]],
    ['an id', { q: C }, [C]],
    ['a character of a pattern', { q: '%' }, []],
    ['another one', { q: '_' }, []],
    ['several filters', { q: 'example', state: 'active', expiresWithinMs: 20 * DAY }, [C]],
  ])('finds %s', async (_what, query, found) => {
    expect(await find(query)).toEqual(found);
    expect((await store.page({ limit: 1, now: NOON, ...query })).total).toBe(found.length);
  });

  it('searches the names of active versions only', async () => {
    await store.replace(A, version(['other.example']), NOON);
    expect(await find({ q: 'shop.example.com' })).toEqual([]);
  });

  it('is read in pages of any size, also where many expire together', async () => {
    for (let index = 0; index < 7; index += 1) {
      await store.create(idOf('defghij'[index]!), version([`n${index}.example`], { lasts: 10 }), NOON);
    }
    const all = await find({});
    for (const limit of [1, 2, 3, 9, 10, 11]) {
      const read: string[] = [];
      for (let cursor: string | null | undefined; cursor !== null; ) {
        const page = await store.page({ limit, cursor, now: NOON });
        read.push(...page.items.map(({ id }) => id));
        expect(page.total).toBe(10);
        cursor = page.nextCursor;
      }
      expect(read).toEqual(all);
    }
  });

  it.each([
    'x',
    '2026-11-20T12:00:00.000Z',
    `/${A}`,
    `2026-11-20T12:00:00.000Z/${A}x`,
    `x2026-11-20T12:00:00.000Z/${A}`,
  ])('rejects the cursor %s', async (cursor) => {
    await expect(store.page({ limit: 1, cursor, now: NOON })).rejects.toMatchObject({ name: 'InvalidCursor' });
  });
});

it('equals a model after any creations, replacements and removals', async () => {
  const ids = [A, B, C];
  const names = fc.uniqueArray(fc.constantFrom('a.example', 'b.example', '*.example', 'c.example'), { minLength: 1 });
  const step = fc.record({ what: fc.constantFrom('create', 'replace', 'remove'), id: fc.constantFrom(...ids), names });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      for (const id of ids) await store.remove(id, NOON);
      const model = new Map<string, { names: readonly string[]; version: number }>();
      for (const [index, { what, id, names: wanted }] of steps.entries()) {
        const old = model.get(id);
        // A caller never creates an id twice.
        if (what === 'create' && old !== undefined) continue;
        if (what === 'remove') {
          expect((await store.remove(id, NOON)) === null).toBe(old === undefined);
          model.delete(id);
          continue;
        }
        const owned = wanted.flatMap((name) =>
          [...model]
            .filter(([other, has]) => other !== id && has.names.includes(name))
            .map(([certificate]) => ({ name, certificate })),
        );
        const given = version(wanted, { serial: String(index) });
        const result = what === 'create' ? await store.create(id, given, NOON) : await store.replace(id, given, NOON);
        if (what === 'replace' && old === undefined) expect(result).toBeNull();
        else if (owned.length > 0) expect(result).toEqual({ owned });
        else {
          model.set(id, { names: wanted, version: (old?.version ?? 0) + 1 });
          expect(result).toMatchObject({ id, names: wanted, sha1: `AB${index}` });
        }
      }
      const stored = (await store.all()).map((one) => [one.id, { names: one.names, version: one.version }] as const);
      expect(new Map(stored)).toEqual(model);
      expect(
        await database.read.selectFrom('certificate_names').select(['name', 'certificate']).orderBy('name').execute(),
      ).toEqual(
        [...model]
          .flatMap(([certificate, has]) => has.names.map((name) => ({ name, certificate })))
          .sort((a, b) => (a.name < b.name ? -1 : 1)),
      );
      const versions = await database.read
        .selectFrom('certificate_versions')
        .select(['certificate', 'version'])
        .execute();
      expect(versions.map((row) => `${row.certificate} ${row.version}`).sort()).toEqual(
        [...model]
          .flatMap(([id, has]) => [has.version - 1, has.version].filter((n) => n > 0).map((n) => `${id} ${n}`))
          .sort(),
      );
    }),
    { numRuns: 60 },
  );
});

it('a database of the version before gets the tables, and keeps what it has', async () => {
  await new SitesStore(database).put({ domain: 'a.example', servers: [] }, NOON);
  await database.close();
  const file = new SqliteDatabase(folder.file);
  file.exec('drop table certificate_names; drop table certificate_versions; drop table certificates');
  file.exec('drop table https_names; alter table sites drop column tls_json');
  backBefore0027(file);
  backBefore0018(file);
  file.exec("delete from schema_migrations where name >= '0016'");
  file.close();
  const migrated = await folder.open({ createIfMissing: false });
  expect(await new SitesStore(migrated).domains()).toEqual(['a.example']);
  const certificates = new CertificatesStore(migrated);
  expect(await certificates.all()).toEqual([]);
  expect(await certificates.create(A, version(['a.example']), NOON)).toMatchObject({ id: A });
});
