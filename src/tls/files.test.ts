import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import {
  chmod,
  chown,
  cp,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getuid } from 'node:process';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { changeOnceThere } from '../../testkit/files/change-once-there.ts';
import { madeCertificate } from '../../testkit/tls/made-certificate.ts';
import { SecretText } from '../secrets/secret-text.ts';
import { ServiceLock } from '../supervision/service-lock.ts';
import { TlsFiles, TlsFolderUnusable } from './files.ts';

const FIRST = 'c-aaaaaaaaaa';
const SECOND = 'c-bbbbbbbbbb';
const pem = (text: string) => new SecretText(`${text}\n`);

let parent: string;
let files: TlsFiles;
let umask: number;

beforeEach(async () => {
  // The worst case: nothing is masked.
  umask = process.umask(0);
  parent = await mkdtemp(join(tmpdir(), 'pm-'));
  files = new TlsFiles(join(parent, 'tls'));
});

afterEach(async () => {
  process.umask(umask);
  await rm(parent, { recursive: true });
});

const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);

describe('the folder of certificates', () => {
  it('and its files are for this user alone, whatever the umask', async () => {
    await files.open();
    expect(await files.ensureDefault(() => pem('default'))).toBe(true);
    await files.write(FIRST, pem('one'));
    await files.writeList([FIRST]);
    expect(await modeOf(files.folder)).toBe('700');
    for (const name of ['default.pem', 'certificates.list', `${FIRST}.pem`]) {
      expect(await modeOf(join(files.folder, name))).toBe('600');
    }
    expect(await modeOf(join(files.folder, '.tmp'))).toBe('700');
    expect(await readFile(files.list, 'utf8')).toBe(`${files.pathOf(FIRST)}\n`);
    expect(await readdir(join(files.folder, '.tmp'))).toEqual([]);
  });

  it('has no file that counts as ours if another process changed it while it was written', async () => {
    await files.open();
    const changed = changeOnceThere(files.pathOf(FIRST), 'damaged');
    await files.write(FIRST, pem('one'));
    await changed;
    expect(await readFile(files.pathOf(FIRST), 'utf8')).toBe('damaged');
    expect(await files.unchanged(FIRST)).toBe(false);
    expect(await files.write(FIRST, pem('one'))).toBe(true);
    expect(await files.unchanged(FIRST)).toBe(true);
  });

  it.each([0o755, 0o704, 0o702, 0o701])('with mode %o, for every user, is refused', async (mode) => {
    await mkdir(files.folder, { mode });
    await expect(files.open()).rejects.toThrow(/^every user may use the folder .*: chmod 700 /);
  });

  it.runIf(getuid?.() === 0)('for a group that this process does not belong to is refused', async () => {
    await mkdir(files.folder, { mode: 0o750 });
    await chown(files.folder, 0, 54_321);
    await expect(files.open()).rejects.toThrow(/^the group 54321 may use the folder /);
    await chmod(files.folder, 0o700);
    await files.open();
    await chown(files.folder, 54_321, 0);
    await expect(files.open()).rejects.toThrow(/belongs to user 54321: chown 0 /);
  });

  it('whose path a list of HAProxy cannot name is refused', async () => {
    await expect(new TlsFiles(join(parent, 'a:b')).open()).rejects.toThrow('PROXY_MANAGER_TLS_DIR');
  });

  it('loses the temporary files of earlier runs, and nothing else', async () => {
    await files.open();
    const temporary = join(files.folder, '.tmp');
    await writeFile(join(temporary, `.${FIRST}.pem.812.0123456789ab.tmp`), 'a key');
    await mkdir(join(temporary, 'check-0123456789ab'));
    await writeFile(join(temporary, 'mine.pem'), 'of the operator');
    await writeFile(join(files.folder, 'mine.pem'), 'of the operator');
    await writeFile(files.pathOf(SECOND), 'of a database that is gone');
    await files.open();
    await files.writeList([]);
    expect((await readdir(files.folder)).toSorted()).toEqual([
      '.tmp',
      `${SECOND}.pem`,
      'certificates.list',
      'mine.pem',
    ]);
    expect(await readdir(temporary)).toEqual(['mine.pem']);
  });

  it('is refused if a link leads out of it, as files would be deleted there', async () => {
    await files.open();
    await rm(join(files.folder, '.tmp'), { recursive: true });
    await symlink(parent, join(files.folder, '.tmp'));
    await expect(files.open()).rejects.toThrow(/\.tmp is a link, .*: remove it/);
  });

  it('belongs to one service, also after another process removed it', async () => {
    const take = (path: string) => ServiceLock.take(path, 'the certificates');
    const [one, other] = [new TlsFiles(files.folder, take), new TlsFiles(files.folder, take)];
    const used = /cannot be used: another proxy-manager works on the certificates already .*process \d+ .*tmp\/lock/;
    await one.open();
    await one.open();
    await expect(other.open()).rejects.toThrow(used);
    await rm(files.folder, { recursive: true });
    await one.ensureFolder();
    await expect(other.open()).rejects.toThrow(used);
    one.close();
    await other.open();
    await expect(one.ensureFolder()).rejects.toThrow(TlsFolderUnusable);
    other.close();
  });

  it('belongs to one service, also after another process replaced it together with its lock', async () => {
    const take = (path: string) => ServiceLock.take(path, 'the certificates');
    const [one, other] = [new TlsFiles(files.folder, take), new TlsFiles(files.folder, take)];
    const replace = async (): Promise<void> => {
      await rename(files.folder, `${files.folder}~`);
      await cp(`${files.folder}~`, files.folder, { recursive: true });
      await rm(`${files.folder}~`, { recursive: true });
      await chmod(files.folder, 0o700);
    };
    await one.open();
    await one.write(FIRST, pem('one'));
    await replace();
    await one.ensureFolder();
    await expect(other.open()).rejects.toThrow(TlsFolderUnusable);
    // Another service was faster.
    await replace();
    await other.open();
    const own = madeCertificate(['a.example'], { id: SECOND });
    const newer = madeCertificate(['a.example'], { id: SECOND, notBefore: new Date() });
    await writeFile(files.pathOf(SECOND), newer.pem.reveal());
    const changes = [
      () => one.ensureFolder(),
      () => one.keepNewer(SECOND, own.pem),
      () => one.setAside(SECOND, async () => new Set()),
      () => one.replaceDefault(() => pem('default')),
      () => one.write(FIRST, pem('two')),
      () => one.writeList([FIRST]),
      () => one.linkToDefault(FIRST),
      () => one.ensureDefault(() => pem('default')),
      () => one.remove(FIRST, async () => new Set()),
    ];
    for (const change of changes) await expect(change()).rejects.toThrow(TlsFolderUnusable);
    expect((await readdir(files.folder)).toSorted()).toEqual(['.tmp', `${FIRST}.pem`, `${SECOND}.pem`]);
    await writeFile(files.defaultCertificate, 'of the operator', { mode: 0o644 });
    await expect(one.ensureDefault(() => pem('default'))).rejects.toThrow(TlsFolderUnusable);
    expect(await modeOf(files.defaultCertificate)).toBe('644');
    expect(await readFile(files.pathOf(FIRST), 'utf8')).toBe('one\n');
    other.close();
    expect(await one.write(FIRST, pem('two'))).toBe(true);
    await expect(other.open()).rejects.toThrow(TlsFolderUnusable);
    one.close();
  });

  it('has certificates that are files', async () => {
    await files.open();
    await mkdir(files.pathOf(FIRST));
    await writeFile(files.pathOf(SECOND), '');
    expect(await files.ids()).toEqual([SECOND]);
  });
});

describe('a file', () => {
  beforeEach(async () => {
    await files.open();
    await files.write(FIRST, pem('one'));
  });

  it('is written only if it changes', async () => {
    const { ino } = await stat(files.pathOf(FIRST));
    expect(await files.write(FIRST, pem('one'))).toBe(false);
    expect(await new TlsFiles(files.folder).write(FIRST, pem('one'))).toBe(false);
    expect((await stat(files.pathOf(FIRST))).ino).toBe(ino);
    expect(await files.write(FIRST, pem('two'))).toBe(true);
    expect(await readFile(files.pathOf(FIRST), 'utf8')).toBe('two\n');
  });

  it.each([
    ['other content', async (path: string) => await writeFile(path, 'two\n')],
    ['other content of the same length', async (path: string) => await writeFile(path, 'eno\n')],
    ['another mode', async (path: string) => await chmod(path, 0o644)],
    ['a link in its place', replaceByLink],
    ['nothing in its place', async (path: string) => await rm(path)],
  ])('that has %s is noticed, and is put back with mode 600', async (_what, change) => {
    expect(await files.unchanged(FIRST)).toBe(true);
    await change(files.pathOf(FIRST));
    expect(await files.unchanged(FIRST)).toBe(false);
    expect(await files.write(FIRST, pem('one'))).toBe(true);
    expect(await readFile(files.pathOf(FIRST), 'utf8')).toBe('one\n');
    expect(await modeOf(files.pathOf(FIRST))).toBe('600');
    expect(await files.unchanged(FIRST)).toBe(true);
  });

  it('that is removed twice is gone', async () => {
    for (const _ of [1, 2]) expect(await files.remove(FIRST, async () => new Set())).toBeNull();
    expect(await files.exists(FIRST)).toBe(false);
  });

  it('has a name of this service alone', () => {
    for (const id of ['../default', 'default', 'c-aaaaaaaaa', `${FIRST}.pem`, 'c-AAAAAAAAAA']) {
      expect(() => files.pathOf(id)).toThrow(RangeError);
    }
  });
});

describe('a file of another process', () => {
  const own = madeCertificate(['a.example'], { id: FIRST });
  const newer = madeCertificate(['a.example'], { id: FIRST, notBefore: new Date() });
  const path = () => files.pathOf(FIRST);
  const kept = (number = '') => `${path()}.newer${number}`;
  beforeEach(() => files.open());

  it('that has the same newer certificate again is kept once', async () => {
    for (const _ of [1, 2]) {
      await writeFile(path(), newer.pem.reveal());
      expect(await files.keepNewer(FIRST, own.pem)).toBe(kept());
      await files.write(FIRST, own.pem);
    }
    const other = madeCertificate(['a.example'], { id: FIRST, notBefore: new Date() });
    await writeFile(path(), other.pem.reveal());
    expect(await files.keepNewer(FIRST, own.pem)).toBe(kept('-2'));
    expect([...(await files.newer()).keys()].toSorted()).toEqual([kept(), kept('-2')]);
  });

  it('keeps its place until another takes it, and has a second name', async () => {
    await writeFile(path(), newer.pem.reveal());
    const { ino } = await lstat(path());
    expect(await files.keepNewer(FIRST, own.pem)).toBe(kept());
    expect([(await lstat(path())).ino, (await lstat(kept())).ino]).toEqual([ino, ino]);
    const other = madeCertificate(['a.example'], { id: FIRST });
    await rm(path());
    await writeFile(path(), other.pem.reveal());
    expect(await files.setAside(FIRST, async () => new Set())).toBe(kept('-2'));
    expect((await lstat(kept('-2'))).ino).toBe((await lstat(path())).ino);
  });

  it('is deleted if its certificate is one of this service, and moved otherwise', async () => {
    await writeFile(path(), own.pem.reveal());
    expect(await files.remove(FIRST, async () => new Set([own.read.sha256]))).toBeNull();
    await writeFile(path(), own.pem.reveal());
    expect(await files.remove(FIRST, async () => new Set([newer.read.sha256]))).toBe(kept());
    expect(await files.exists(FIRST)).toBe(false);
    expect(await readFile(kept(), 'utf8')).toBe(own.pem.reveal());
  });

  describe.runIf(getuid?.() === 0)('and of root, for a service without rights,', () => {
    const service = 54_321;
    interface Result {
      readonly kept: string | null;
      readonly written: boolean;
    }

    /** As the service: keeps what is there, and writes its own. */
    async function written(keep: 'keepNewer' | 'setAside' = 'keepNewer'): Promise<Result> {
      await chmod(parent, 0o755);
      for (const folder of [files.folder, join(files.folder, '.tmp')]) await chown(folder, service, service);
      const module = JSON.stringify(join(import.meta.dirname, 'files.ts'));
      const given = JSON.stringify({ folder: files.folder, id: FIRST, pem: own.pem.reveal() });
      const program = `import { TlsFiles } from ${module};
        const { folder, id, pem } = ${given};
        process.setgid(${service});
        process.setuid(${service});
        const files = new TlsFiles(folder);
        const kept = await files.${keep}(id, ${keep === 'keepNewer' ? '{ reveal: () => pem }' : 'async () => new Set()'});
        console.log(JSON.stringify({ kept, written: await files.write(id, { reveal: () => pem }) }));`;
      const ran = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' });
      expect(ran.stderr).toBe('');
      return JSON.parse(ran.stdout) as Result;
    }

    // The kernel refuses a second name for it.
    it('that the service may read is copied', async () => {
      await writeFile(path(), newer.pem.reveal(), { mode: 0o644 });
      expect(await written()).toEqual({ kept: kept(), written: true });
      expect(await readFile(kept(), 'utf8')).toBe(newer.pem.reveal());
      expect([(await stat(kept())).uid, await modeOf(kept())]).toEqual([service, '600']);
      expect(await readFile(path(), 'utf8')).toBe(own.pem.reveal());
      expect(await readdir(join(files.folder, '.tmp'))).toEqual([]);
    });

    // A copy would need room on the disk.
    it('that the service may read is moved if a link is to take its place', async () => {
      await writeFile(path(), newer.pem.reveal(), { mode: 0o644 });
      const { ino } = await lstat(path());
      expect(await written('setAside')).toEqual({ kept: kept(), written: true });
      expect(await lstat(kept())).toMatchObject({ ino, uid: 0 });
    });

    it('that the service may not read is moved', async () => {
      await writeFile(path(), newer.pem.reveal(), { mode: 0o600 });
      const { ino } = await lstat(path());
      expect(await written()).toEqual({ kept: kept(), written: true });
      expect(await lstat(kept())).toMatchObject({ ino, uid: 0 });
      expect(await readFile(path(), 'utf8')).toBe(own.pem.reveal());
    });

    it('that only lost its mode is no other certificate', async () => {
      await writeFile(path(), own.pem.reveal());
      await chown(path(), service, service);
      await chmod(path(), 0);
      expect(await written()).toEqual({ kept: null, written: false });
      expect(await modeOf(path())).toBe('600');
    });
  });
});

it('the default certificate of an operator stays, for this user alone', async () => {
  await files.open();
  await writeFile(files.defaultCertificate, 'own\n', { mode: 0o644 });
  expect(await files.ensureDefault(() => pem('default'))).toBe(false);
  expect(await readFile(files.defaultCertificate, 'utf8')).toBe('own\n');
  expect(await modeOf(files.defaultCertificate)).toBe('600');
  await files.replaceDefault(() => pem('default'));
  expect(await readFile(`${files.defaultCertificate}.refused`, 'utf8')).toBe('own\n');
  expect(await readFile(files.defaultCertificate, 'utf8')).toBe('default\n');
});

it('a default certificate that an operator puts there at the same time stays', async () => {
  await files.open();
  const meanwhile = (text: string) => () => {
    rmSync(files.defaultCertificate, { force: true });
    writeFileSync(files.defaultCertificate, text);
    return pem('default');
  };
  expect(await files.ensureDefault(meanwhile('own\n'))).toBe(false);
  expect(await readFile(files.defaultCertificate, 'utf8')).toBe('own\n');
  const kept = await files.replaceDefault(meanwhile('other\n'));
  expect(await readFile(kept, 'utf8')).toBe('other\n');
  expect(await readdir(join(files.folder, '.tmp'))).toEqual([]);
});

async function replaceByLink(path: string): Promise<void> {
  await rm(path);
  await symlink('/dev/null', path);
}
