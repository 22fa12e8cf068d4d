import { chmod, mkdir, mkdtemp, readFile, rm, stat, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { partsShown } from '../../testkit/secret-parts.ts';
import { type MadeCertificate, madeCertificate } from '../../testkit/tls/made-certificate.ts';
import { FileKeeper } from './file-keeper.ts';
import { TlsFiles } from './files.ts';
import type { CertificateToInstall } from './installation.ts';

const FIRST = 'c-aaaaaaaaaa';
const LOST = 'c-bbbbbbbbbb';
const THIRD = 'c-cccccccccc';

let parent: string;
let files: TlsFiles;
let stored: CertificateToInstall[];
let unreadable: { id: string; why: string }[];
/** By id, the SHA-256 of its versions. */
let removed: Map<string, ReadonlySet<string>>;
let failure: Error | null;
/** Paths. */
let refused: Set<string>;
let logged: string[];
const first = madeCertificate(['a.example'], { id: FIRST });
const third = madeCertificate(['c.example'], { id: THIRD });

beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'pm-'));
  files = new TlsFiles(join(parent, 'tls'));
  stored = [first, third];
  unreadable = [];
  removed = new Map();
  failure = null;
  refused = new Set();
  logged = [];
});

afterEach(() => rm(parent, { recursive: true }));

async function loaded(): Promise<FileKeeper> {
  const keeper = keeperOf();
  await keeper.load();
  return keeper;
}

function keeperOf(): FileKeeper {
  const log = (message: string, fields?: object): void => void logged.push(`${message} ${JSON.stringify(fields)}`);
  const all = async (only?: ReadonlySet<string>) => {
    if (failure !== null) throw failure;
    return stored.filter(({ id }) => only?.has(id) !== false);
  };
  const removedAmong = async (ids: readonly string[]) => new Map([...removed].filter(([id]) => ids.includes(id)));
  const wanted = { all, unreadable: async () => unreadable, removedAmong };
  const check = {
    refusals: async (paths: readonly string[]) =>
      new Map(paths.filter((path) => refused.has(path)).map((path) => [path, 'bad'])),
    refusalsOf: async () => new Map(),
  };
  const logs = { info: log, warn: log, error: log };
  return new FileKeeper({ files, wanted, check, log: logs, now: () => new Date() });
}

const list = async () => (await readFile(files.list, 'utf8')).split('\n').filter((line) => line !== '');

it('a start writes every certificate, the list and a default certificate, once', async () => {
  const keeper = await loaded();
  expect(await list()).toEqual([files.pathOf(FIRST), files.pathOf(THIRD)]);
  expect(await readFile(files.pathOf(FIRST), 'utf8')).toBe(first.pem.reveal());
  const byDefault = await readFile(files.defaultCertificate, 'utf8');
  expect(byDefault).toContain('PRIVATE KEY');
  await loaded();
  expect(await readFile(files.defaultCertificate, 'utf8')).toBe(byDefault);
  expect(logged).toHaveLength(1);
  expect(keeper.wanted).toEqual(
    [first, third].map(({ id, version, names, sha1, sha256s, chainSubjects }) => {
      return { id, version, names, sha1, sha256s, chainSubjects };
    }),
  );
  for (const key of [first.privateKey, third.privateKey]) expect(partsShown(key, JSON.stringify(keeper))).toEqual([]);
});

it('a renewal writes the list only if another process changed it', async () => {
  const keeper = await loaded();
  const write = vi.spyOn(files, 'writeList');
  const renewed = (version: number) => keeper.put(madeCertificate(['a.example'], { id: FIRST, version }));
  await renewed(2);
  expect(write).not.toHaveBeenCalled();
  await writeFile(files.list, '');
  await renewed(3);
  expect(await list()).toEqual([files.pathOf(FIRST), files.pathOf(THIRD)]);
  await keeper.put(madeCertificate(['b.example'], { id: LOST }));
  expect(await list()).toEqual([files.pathOf(FIRST), files.pathOf(LOST), files.pathOf(THIRD)]);
});

it('a start with an older database keeps the file of a newer certificate', async () => {
  await loaded();
  files = new TlsFiles(files.folder);
  const notBefore = new Date(first.read.notBefore.getTime() - 86_400_000);
  stored = [madeCertificate(['a.example'], { id: FIRST, notBefore })];
  await loaded();
  expect(await readFile(files.pathOf(FIRST), 'utf8')).toBe(stored[0]?.pem.reveal());
  expect(await readFile(`${files.pathOf(FIRST)}.newer`, 'utf8')).toBe(first.pem.reveal());
  expect(logged.join()).toContain(`${FIRST}.pem.newer`);
});

it('a newer certificate that another process writes is kept, and reported until it is deleted', async () => {
  const keeper = await loaded();
  const newer = madeCertificate(['a.example'], { id: FIRST, notBefore: new Date() });
  await writeFile(files.pathOf(FIRST), newer.pem.reveal());
  await keeper.refresh();
  const kept = `${files.pathOf(FIRST)}.newer`;
  expect(await readFile(files.pathOf(FIRST), 'utf8')).toBe(first.pem.reveal());
  expect(await readFile(kept, 'utf8')).toBe(newer.pem.reveal());
  const reported = [
    expect.stringMatching(/c-aaaaaaaaaa\.pem\.newer keeps a certificate .*: upload it .*delete the file$/),
  ];
  expect(keeper.problems()).toEqual(reported);
  expect((await loaded()).problems()).toEqual(reported);
  // An upload, after which the file on the disk is of before.
  await keeper.put({ ...newer, version: 2 });
  expect(keeper.problems()).toEqual(reported);
  await keeper.unlist(FIRST);
  await keeper.deleteFile(FIRST);
  expect(keeper.keptFiles(FIRST)).toEqual([kept]);
  expect(keeper.keptFiles(THIRD)).toEqual([]);
  await rm(kept);
  expect(await keeper.isAsWritten(basename(kept))).toBe(false);
  await keeper.refresh();
  expect(keeper.problems()).toEqual([]);
});

it('an older certificate, or its own of before with another mode, is overwritten', async () => {
  const keeper = await loaded();
  const notBefore = new Date(first.read.notBefore.getTime() - 86_400_000);
  const older = madeCertificate(['a.example'], { id: FIRST, notBefore });
  await writeFile(files.pathOf(FIRST), older.pem.reveal());
  await keeper.refresh();
  await chmod(files.pathOf(FIRST), 0o644);
  await keeper.put({ ...older, version: 2 });
  expect(await readFile(files.pathOf(FIRST), 'utf8')).toBe(older.pem.reveal());
  expect(keeper.problems()).toEqual([]);
});

it('a certificate that another process writes just before a removal is kept', async () => {
  const keeper = await loaded();
  const other = madeCertificate(['a.example'], { id: FIRST });
  await keeper.unlist(FIRST);
  await writeFile(files.pathOf(FIRST), other.pem.reveal());
  expect(await keeper.deleteFile(FIRST)).toBe(true);
  expect(await files.exists(FIRST)).toBe(false);
  expect(await readFile(keeper.keptFiles(FIRST)[0]!, 'utf8')).toBe(other.pem.reveal());
});

it('a certificate without a readable key stays in its file and in the list', async () => {
  await loaded();
  await writeFile(files.pathOf(LOST), 'the only copy');
  unreadable = [{ id: LOST, why: 'the secret is missing' }];
  const keeper = await loaded();
  await keeper.refresh();
  expect(await list()).toEqual([FIRST, LOST, THIRD].map((id) => files.pathOf(id)));
  expect(await readFile(files.pathOf(LOST), 'utf8')).toBe('the only copy');
  expect(keeper.problems()).toEqual([`certificate ${LOST} is served from the file alone: the secret is missing`]);
  // Refused by HAProxy: it leaves the list, and the file stays.
  expect(await keeper.substitute(`[ALERT] unable to load certificate from file '${files.pathOf(LOST)}'`)).toBe(true);
  expect(await list()).toEqual([FIRST, THIRD].map((id) => files.pathOf(id)));
  expect(await readFile(files.pathOf(LOST), 'utf8')).toBe('the only copy');
  expect(await keeper.substitute(`[ALERT] unable to load certificate from file '${files.pathOf(LOST)}'`)).toBe(false);
});

it('a certificate without a readable key that HAProxy refuses stays out of the list until HAProxy accepts it', async () => {
  await loaded();
  await writeFile(files.pathOf(LOST), 'the only copy');
  unreadable = [{ id: LOST, why: 'the secret is missing' }];
  await (await loaded()).substitute(`[ALERT] unable to load certificate from file '${files.pathOf(LOST)}'`);
  refused.add(files.pathOf(LOST));
  const keeper = await loaded();
  expect(await keeper.restore()).toEqual([]);
  expect(await list()).toEqual([FIRST, THIRD].map((id) => files.pathOf(id)));
  refused.clear();
  expect(await keeper.restore()).toEqual([LOST]);
  expect(await list()).toEqual([FIRST, LOST, THIRD].map((id) => files.pathOf(id)));
  expect(await readFile(files.pathOf(LOST), 'utf8')).toBe('the only copy');
});

it('a certificate without a readable key whose file is gone leaves the list', async () => {
  await loaded();
  await writeFile(files.pathOf(LOST), 'the only copy');
  unreadable = [{ id: LOST, why: 'the secret is missing' }];
  const keeper = await loaded();
  expect(keeper.whyLost(LOST)).toBeNull();
  await rm(files.pathOf(LOST));
  await keeper.refresh();
  expect(await list()).toEqual([FIRST, THIRD].map((id) => files.pathOf(id)));
  expect(keeper.whyLost(LOST)).toBe('it has no file, and the secret is missing');
  expect(keeper.problems()).toEqual([`certificate ${LOST} is not served, as there is no file: the secret is missing`]);
});

it('a database that fails delays no reload, and is reported', async () => {
  const keeper = await loaded();
  await writeFile(files.pathOf(FIRST), 'damaged');
  failure = new Error('database is locked');
  await keeper.refresh();
  expect(keeper.problems()).toEqual(['the files of certificates could not be checked: database is locked']);
  failure = null;
  await keeper.refresh();
  expect(keeper.problems()).toEqual([]);
  expect(await readFile(files.pathOf(FIRST), 'utf8')).toBe(first.pem.reveal());
});

it('no file is changed before the certificates are known, and loading is repeated', async () => {
  await loaded();
  await chmod(files.folder, 0o755);
  const keeper = keeperOf();
  await expect(keeper.load()).rejects.toThrow('chmod 700');
  await keeper.refresh();
  await expect(keeper.put(first)).rejects.toThrow('chmod 700');
  await expect(keeper.unlist(FIRST)).rejects.toThrow('chmod 700');
  expect(await list()).toEqual([FIRST, THIRD].map((id) => files.pathOf(id)));
  expect(keeper.isLoaded).toBe(false);
  expect(keeper.problems()).toEqual([expect.stringContaining('chmod 700')]);
  await chmod(files.folder, 0o700);
  await keeper.refresh();
  expect(keeper.isLoaded).toBe(true);
  expect(keeper.problems()).toEqual([]);
  expect(keeper.get(THIRD)).toMatchObject({ version: 1 });
});

it('changes no list when HAProxy refuses a configuration before the database could be read', async () => {
  await loaded();
  files = new TlsFiles(files.folder);
  await chmod(files.folder, 0o755);
  const keeper = keeperOf();
  await expect(keeper.load()).rejects.toThrow('chmod 700');
  await keeper.refresh();
  expect(await keeper.substitute('[ALERT] unknown keyword', { began: performance.now(), number: 1 })).toBe(false);
  expect(await list()).toEqual([files.pathOf(FIRST), files.pathOf(THIRD)]);
});

it('a folder that another process removes is made again with all files', async () => {
  const keeper = await loaded();
  await rm(files.folder, { recursive: true });
  await keeper.refresh();
  expect(keeper.problems()).toEqual([]);
  expect(await list()).toEqual([FIRST, THIRD].map((id) => files.pathOf(id)));
  expect(await readFile(files.pathOf(FIRST), 'utf8')).toBe(first.pem.reveal());
  expect((await stat(files.folder)).mode & 0o777).toBe(0o700);
});

it('a change by another process is distinguished from one of this service', async () => {
  await loaded();
  await writeFile(files.pathOf(LOST), 'the only copy');
  unreadable = [{ id: LOST, why: 'the secret is missing' }];
  const keeper = await loaded();
  const names = ['c-dddddddddd', FIRST, THIRD, LOST, 'default', 'own'].map((name) => `${name}.pem`);
  const asWritten = async () => {
    const all: string[] = [];
    for (const name of [...names, 'certificates.list', '.tmp']) if (await keeper.isAsWritten(name)) all.push(name);
    return all;
  };
  expect(await asWritten()).toEqual([
    'c-dddddddddd.pem',
    `${FIRST}.pem`,
    `${THIRD}.pem`,
    'own.pem',
    'certificates.list',
    '.tmp',
  ]);
  await writeFile(files.pathOf(FIRST), 'damaged');
  await rm(files.list);
  expect(await asWritten()).toEqual(['c-dddddddddd.pem', `${THIRD}.pem`, 'own.pem', '.tmp']);
});

it('a default certificate that another process removes is replaced before the next reload', async () => {
  const keeper = await loaded();
  await rm(files.defaultCertificate);
  await keeper.refresh();
  expect(await readFile(files.defaultCertificate, 'utf8')).toContain('PRIVATE KEY');
});

it('each default certificate that HAProxy refuses is kept', async () => {
  const keeper = await loaded();
  for (const content of ['first', 'second']) {
    await writeFile(files.defaultCertificate, content);
    expect(await keeper.substitute(`[ALERT] unable to load certificate from file '${files.defaultCertificate}'`)).toBe(
      true,
    );
  }
  expect(await readFile(`${files.defaultCertificate}.refused`, 'utf8')).toBe('first');
  expect(await readFile(`${files.defaultCertificate}.refused-2`, 'utf8')).toBe('second');
});

it('a start deletes the file of a removed certificate, and no other that is unknown', async () => {
  await loaded();
  const [gone, unknown, theirs] = [
    files.pathOf('c-dddddddddd'),
    files.pathOf('c-eeeeeeeeee'),
    `${files.folder}/own.pem`,
  ];
  for (const file of [gone, unknown, theirs]) await writeFile(file, 'a key');
  await mkdir(files.pathOf('c-ffffffffff'));
  removed = new Map(['c-ffffffffff', 'c-dddddddddd', FIRST].map((id) => [id, new Set()]));
  await loaded();
  expect(await files.ids()).toEqual(expect.arrayContaining([FIRST, 'c-eeeeeeeeee', THIRD]));
  await expect(readFile(gone)).rejects.toThrow('ENOENT');
  expect(await readFile(theirs, 'utf8')).toBe('a key');
  expect(logged.at(-1)).toContain(JSON.stringify({ files: [unknown], total: 1 }));
});

it('a start deletes each version of a removed certificate, and keeps one that another process wrote there', async () => {
  const [gone, older, theirs] = ['c-dddddddddd', 'c-eeeeeeeeee', 'c-ffffffffff'].map((id) =>
    madeCertificate(['gone.example'], { id }),
  ) as [MadeCertificate, MadeCertificate, MadeCertificate];
  const another = madeCertificate(['gone.example']).read.sha256;
  removed = new Map([
    [gone.id, new Set([gone.read.sha256])],
    [older.id, new Set([another, older.read.sha256])],
    [theirs.id, new Set([another])],
  ]);
  await files.open();
  for (const { id, pem } of [gone, older, theirs]) await writeFile(files.pathOf(id), pem.reveal());
  const keeper = await loaded();
  const kept = `${files.pathOf(theirs.id)}.newer`;
  expect(await files.ids()).toEqual([FIRST, THIRD]);
  expect(await readFile(kept, 'utf8')).toBe(theirs.pem.reveal());
  expect(keeper.keptFiles(theirs.id)).toEqual([kept]);
  expect(keeper.problems()).toEqual([expect.stringContaining(kept)]);
  expect(logged).toContainEqual(
    expect.stringContaining(
      `Certificate that the database does not have kept; upload it if it is needed, or delete the file {"file":"${kept}"}`,
    ),
  );
  expect((await loaded()).keptFiles(theirs.id)).toEqual([kept]);
});

it('a removal deletes the file of a certificate without a readable key, and keeps another certificate in it', async () => {
  const lost = madeCertificate(['b.example'], { id: LOST });
  const theirs = madeCertificate(['b.example'], { id: LOST });
  unreadable = [{ id: LOST, why: 'the secret is missing' }];
  removed = new Map([[LOST, new Set([lost.read.sha256])]]);
  await files.open();
  for (const one of [lost, theirs]) {
    await writeFile(files.pathOf(LOST), one.pem.reveal());
    const keeper = await loaded();
    await keeper.unlist(LOST);
    expect(await keeper.deleteFile(LOST)).toBe(true);
    expect(await files.exists(LOST)).toBe(false);
    expect(keeper.keptFiles(LOST)).toEqual(one === lost ? [] : [`${files.pathOf(LOST)}.newer`]);
  }
});

it('another certificate that HAProxy refuses again and again is kept when the default one takes its place', async () => {
  const keeper = await loaded();
  const theirs = madeCertificate(['a.example'], { id: FIRST, notBefore: new Date() });
  await writeFile(files.pathOf(FIRST), theirs.pem.reveal());
  const output = `[ALERT] unable to load certificate from file '${files.pathOf(FIRST)}'`;
  expect(await keeper.substitute(output, { began: performance.now(), number: 4 })).toBe(true);
  expect(await files.isLinkToDefault(FIRST)).toBe(true);
  expect(await readFile(keeper.keptFiles(FIRST)[0]!, 'utf8')).toBe(theirs.pem.reveal());
});

it('a certificate that cannot be written is not missing: the link to the default one takes its place', async () => {
  const keeper = await loaded();
  // As when a file that cannot be read was moved, and the disk is full.
  await unlink(files.pathOf(FIRST));
  const write = vi.spyOn(files, 'write').mockRejectedValue(new Error('ENOSPC: no space left'));
  await keeper.refresh();
  expect(await files.isLinkToDefault(FIRST)).toBe(true);
  expect(await readFile(files.list, 'utf8')).toContain(files.pathOf(FIRST));
  expect(keeper.problems()).toEqual([expect.stringContaining('ENOSPC')]);
  write.mockRestore();
  await keeper.refresh();
  expect(await files.isLinkToDefault(FIRST)).toBe(false);
});

it('another certificate that replaces the link to the default one is kept, though it is older', async () => {
  const keeper = await loaded();
  const output = `[ALERT] unable to load certificate from file '${files.pathOf(FIRST)}'`;
  expect(await keeper.substitute(output, { began: performance.now(), number: 4 })).toBe(true);
  const theirs = madeCertificate(['a.example'], { id: FIRST, notBefore: new Date(0) });
  await unlink(files.pathOf(FIRST));
  await writeFile(files.pathOf(FIRST), theirs.pem.reveal());
  await keeper.refresh();
  expect(await files.isLinkToDefault(FIRST)).toBe(true);
  expect(await readFile(keeper.keptFiles(FIRST)[0]!, 'utf8')).toBe(theirs.pem.reveal());
});

it('a removed certificate leaves the list before its file goes', async () => {
  const keeper = await loaded();
  await keeper.unlist(FIRST);
  expect(await list()).toEqual([files.pathOf(THIRD)]);
  expect(await files.exists(FIRST)).toBe(true);
  expect(keeper.isWanted(FIRST)).toBe(false);
  expect(await keeper.deleteFile(FIRST)).toBe(true);
  expect(await files.exists(FIRST)).toBe(false);
});

it('a file of a removed certificate that cannot be deleted is reported, and deleted later', async () => {
  const keeper = await loaded();
  await keeper.unlist(FIRST);
  await rm(files.pathOf(FIRST));
  await mkdir(files.pathOf(FIRST));
  expect(await keeper.deleteFile(FIRST)).toBe(false);
  expect(keeper.isBehind).toBe(true);
  const problem = `${files.pathOf(FIRST)}, which has the key of a removed certificate, could not be deleted: `;
  expect(keeper.problems()).toEqual([expect.stringContaining(problem)]);
  await rm(files.pathOf(FIRST), { recursive: true });
  await writeFile(files.pathOf(FIRST), 'a key');
  await keeper.refresh();
  expect(await files.exists(FIRST)).toBe(false);
  expect(keeper.problems()).toEqual([]);
});

it('the only copy of a key is back in the list when its removal was not stored', async () => {
  await loaded();
  await writeFile(files.pathOf(LOST), 'the only copy');
  unreadable = [{ id: LOST, why: 'the secret is missing' }];
  const keeper = await loaded();
  await keeper.unlist(LOST);
  expect(await keeper.relist(LOST, 'the secret is missing')).toBe(true);
  expect(await list()).toEqual([FIRST, LOST, THIRD].map((id) => files.pathOf(id)));
  expect(await readFile(files.pathOf(LOST), 'utf8')).toBe('the only copy');
  const unknowing = keeperOf();
  expect(await unknowing.relist(LOST, 'the secret is missing')).toBe(false);
  expect(await list()).toHaveLength(3);
});

it('a list that cannot be written keeps a certificate from being removed', async () => {
  await loaded();
  await writeFile(files.pathOf(LOST), 'the only copy');
  unreadable = [{ id: LOST, why: 'the secret is missing' }];
  const keeper = await loaded();
  await rm(join(files.folder, '.tmp'), { recursive: true });
  for (const id of [FIRST, LOST]) {
    await expect(keeper.unlist(id)).rejects.toThrow('the list of certificates could not be written');
    expect(keeper.isWanted(id)).toBe(true);
  }
  expect(keeper.problems()).toContain(`certificate ${LOST} is served from the file alone: the secret is missing`);
  expect(await files.exists(FIRST)).toBe(true);
});
