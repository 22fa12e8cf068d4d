import { execFile, execFileSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openSecret, SecretUnusable } from './secret-file.ts';
import { SecretText } from './secret-text.ts';

const row = { table: 't', id: 'i', publicKeySha256: '00' };

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'proxy-manager-secret-'));
  path = join(folder, 'secret');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function refusal(mayCreate = false): Promise<SecretUnusable> {
  const error = await openSecret(path, { mayCreate }).then(
    () => null,
    (cause: unknown) => cause,
  );
  if (error instanceof SecretUnusable) return error;
  throw error ?? new Error('opened');
}

describe('the secret', () => {
  it('is created once, for its user alone, whatever the umask', async () => {
    const before = process.umask(0);
    try {
      const sealed = (await openSecret(path, { mayCreate: true })).seal(new SecretText('key'), row);
      const bytes = readFileSync(path);
      expect(bytes.length).toBe(32);
      expect(statSync(path).mode & 0o777).toBe(0o600);
      for (const mayCreate of [true, false]) {
        expect((await openSecret(path, { mayCreate })).open(sealed, row).reveal()).toBe('key');
      }
      expect(readFileSync(path)).toEqual(bytes);
      expect(readdirSync(folder)).toEqual(['secret']);
    } finally {
      process.umask(before);
    }
  });

  it('is the same for processes that create it at once', async () => {
    const code = `
      import { openSecret } from ${JSON.stringify(join(import.meta.dirname, 'secret-file.ts'))};
      import { readFileSync } from 'node:fs';
      await openSecret(process.argv[1], { mayCreate: true });
      console.log(readFileSync(process.argv[1]).toString('hex'));`;
    const run = () => promisify(execFile)(process.execPath, ['--input-type=module', '-e', code, path]);
    const outputs = await Promise.all(Array.from({ length: 6 }, run));
    expect(new Set(outputs.map(({ stdout }) => stdout)).size).toBe(1);
    expect(readdirSync(folder)).toEqual(['secret']);
  });

  it('does not replace one that another process created meanwhile', async () => {
    const other = Buffer.alloc(32, 7);
    const created = openSecret(path, { mayCreate: true });
    // After the first look, before the link.
    writeFileSync(path, other, { mode: 0o600 });
    await created;
    expect(readFileSync(path)).toEqual(other);
  });

  it('that a crash left half created is created again', async () => {
    writeFileSync(join(folder, `.secret.${process.pid}.0123456789ab.tmp`), 'half', { mode: 0o600 });
    await openSecret(path, { mayCreate: true });
    expect(readdirSync(folder)).toEqual(['secret']);
  });

  it('that is missing is not replaced by another while the database has keys', async () => {
    const error = await refusal();
    expect(error).toMatchObject({
      reason: 'missing',
      message: expect.stringContaining(`the secret ${path} is missing`),
    });
    expect(error.message).toContain('put it back from a backup; without one, make a new one');
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each(['640', '604', '620', '602', '660', '644', '666', '610'])('of mode %s is refused', async (mode) => {
    writeFileSync(path, Buffer.alloc(32, 1));
    chmodSync(path, Number.parseInt(mode, 8));
    expect(await refusal(true)).toMatchObject({
      reason: 'readable',
      message: expect.stringContaining(`(mode ${mode}): chmod 600 ${path}`),
    });
  });

  it.each([0, 1, 31, 33, 64])('of %i bytes is refused, and not replaced', async (length) => {
    writeFileSync(path, Buffer.alloc(length, 'k'), { mode: 0o600 });
    const error = await refusal(true);
    expect(error).toMatchObject({ reason: 'damaged', message: expect.stringContaining(`has ${length} bytes, not 32`) });
    expect(error.message).toContain('put it back from a backup');
    expect(error.message).not.toContain('kkk');
    expect(readFileSync(path).length).toBe(length);
  });

  it('may be of mode 400, and a link to a file', async () => {
    writeFileSync(join(folder, 'target'), Buffer.alloc(32, 1), { mode: 0o400 });
    symlinkSync(join(folder, 'target'), path);
    await openSecret(path, { mayCreate: false });
  });

  it('that is a folder, a pipe or out of reach is refused', async () => {
    mkdirSync(path);
    expect(await refusal(true)).toMatchObject({ reason: 'damaged', message: expect.stringContaining('is not a file') });
    rmSync(path, { recursive: true });
    execFileSync('mkfifo', ['-m', '600', path]);
    expect(await refusal(true)).toMatchObject({ reason: 'damaged' });
    path = join(folder, 'secret', 'below');
    expect(await refusal(true)).toMatchObject({ reason: 'unreadable', message: expect.stringContaining('ENOTDIR') });
  });
});
