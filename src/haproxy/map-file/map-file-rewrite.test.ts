import { spawnSync } from 'node:child_process';
import { chmod, chown, lstat, readdir, readFile, rename, stat, symlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { HEADER, inOrder, ipv4, liveKeys, rewriteTo, temporaryMapPath } from '../../../testkit/haproxy/map-files.ts';
import { MapFile, readMapFileHeader } from './map-file.ts';
import { BODY_START, HEADER_BYTES, nowLine } from './map-file-layout.ts';
import { diskOps } from './map-file-ops.ts';

const failure = (reason: string) => expect.objectContaining({ name: 'MapFileError', reason });
const broken = () => Object.assign(new Error('EIO: i/o error'), { code: 'EIO' });

describe('a rewrite', () => {
  test('a rewrite writes the header, the lines in address order, and aligned slots', async () => {
    const path = await temporaryMapPath();
    const file = new MapFile({ path, slots: 64 });
    const ips = ['::2', '10.0.0.0/8', '10.0.0.0/9', '10.0.0.1', '192.0.2.1', '2001:db8::/32', '2001:db8::1'];
    expect(inOrder([...ips].reverse())).toEqual(ips);
    const { entries, bytes } = await rewriteTo(file, ips);
    const text = await readFile(path, 'latin1');
    expect(entries).toBe(ips.length);
    expect(bytes).toBe(text.length);
    expect(text.slice(HEADER_BYTES, BODY_START)).toBe(nowLine(HEADER.generation).toString('latin1'));
    expect(text.slice(BODY_START).split('\n').slice(0, ips.length)).toEqual(ips.map((ip) => `${ip} 1`));
    expect(text.slice(-64 * 64)).toBe(`${'#'.padEnd(17)}\n${'#'.padEnd(45)}\n`.repeat(64));
    expect(text.length % 64).toBe(0);
    expect(await readMapFileHeader(path)).toEqual({ exists: true, header: HEADER, last: HEADER.generation });
    await file.close();
  });

  test('a rewrite records the generation it was finished with, of its body and of the file', async () => {
    const path = await temporaryMapPath();
    const file = new MapFile({ path });
    const rewrite = await file.beginRewrite({ ...HEADER, generation: 5 });
    await rewrite.append(['1.1.1.1']);
    await rewrite.finish(9);
    expect(await readMapFileHeader(path)).toEqual({ exists: true, header: { ...HEADER, generation: 9 }, last: 9 });
    await file.close();
  });

  test('a rewrite is invisible until it is finished and leaves no file when aborted', async () => {
    const path = await temporaryMapPath();
    const file = new MapFile({ path });
    await rewriteTo(file, ['1.1.1.1']);
    const rewrite = await file.beginRewrite({ ...HEADER, generation: 2 });
    await rewrite.append(['2.2.2.2']);
    expect(await liveKeys(path)).toEqual(new Set(['1.1.1.1']));
    await rewrite.abort();
    await rewrite.abort();
    expect(await readdir(dirname(path))).toEqual([basename(path)]);
    await expect(rewrite.append(['3.3.3.3'])).rejects.toThrow('has ended');
    await expect(rewrite.finish()).rejects.toThrow('has ended');
    await file.add(['4.4.4.4']);
    expect(await liveKeys(path)).toEqual(new Set(['1.1.1.1', '4.4.4.4']));
    await file.close();
  });

  test.each([
    [['2.2.2.2'], ['1.1.1.1']],
    [['2.2.2.2', '2.2.2.2'], []],
    [['10.0.0.0', '10.0.0.0/8'], []],
    [['2001:db8::'], ['255.255.255.255']],
  ])('a rewrite refuses addresses out of order: %j then %j', async (first, second) => {
    const file = new MapFile({ path: await temporaryMapPath() });
    const rewrite = await file.beginRewrite(HEADER);
    await expect(rewrite.append(first).then(() => rewrite.append(second))).rejects.toThrow(RangeError);
    await rewrite.abort();
  });

  test('a rewrite refuses text that is not canonical', async () => {
    const file = new MapFile({ path: await temporaryMapPath() });
    const rewrite = await file.beginRewrite(HEADER);
    await expect(rewrite.append(['1.1.1.1/32'])).rejects.toEqual(failure('not-canonical'));
    await rewrite.abort();
  });

  test('a second rewrite at the same time is refused', async () => {
    const file = new MapFile({ path: await temporaryMapPath() });
    const first = await file.beginRewrite(HEADER);
    await expect(file.beginRewrite(HEADER)).rejects.toThrow('under way');
    await first.finish();
    await (await file.beginRewrite(HEADER)).finish();
    expect(file.state).toBe('current');
    await file.close();
  });

  test('a rewrite with an unreadable header is refused, and the next one succeeds', async () => {
    const file = new MapFile({ path: await temporaryMapPath() });
    await expect(file.beginRewrite({ database: 'a b', generation: 1 })).rejects.toThrow(RangeError);
    await rewriteTo(file, []);
    expect(file.state).toBe('current');
    await file.close();
  });

  test('a rewrite into a missing folder fails as unwritable', async () => {
    const path = join(await temporaryMapPath(), 'away', 'x.map');
    await expect(new MapFile({ path }).beginRewrite(HEADER)).rejects.toEqual(failure('unwritable'));
  });

  test('a rewrite of 200,000 entries can be searched and changed immediately', async () => {
    const path = await temporaryMapPath();
    const file = new MapFile({ path });
    const rewrite = await file.beginRewrite(HEADER);
    const count = 200_000;
    for (let from = 0; from < count; from += 5000) {
      await rewrite.append(Array.from({ length: 5000 }, (_, n) => ipv4((from + n) * 2)));
    }
    await rewrite.seal();
    await expect(rewrite.append(['250.0.0.0'])).rejects.toThrow('sealed');
    expect((await rewrite.finish()).entries).toBe(count);
    for (let n = 0; n < count; n += 997) {
      expect(await file.has(ipv4(n * 2))).toBe(true);
      expect(await file.has(ipv4(n * 2 + 1))).toBe(false);
    }
    await file.add([ipv4(2), ipv4(3)]);
    await file.remove([ipv4(4), ipv4((count - 1) * 2)]);
    expect(file.entryCount).toBe(count - 1);
    const keys = await liveKeys(path);
    expect(keys.size).toBe(count - 1);
    expect([2, 3, 4, (count - 1) * 2].map((n) => keys.has(ipv4(n)))).toEqual([true, true, false, false]);
    await file.close();
  });
});

describe('changes during a rewrite', () => {
  test('changes during a rewrite are in the new file once, in its snapshot or not', async () => {
    const path = await temporaryMapPath();
    const file = new MapFile({ path, slots: 64 });
    await rewriteTo(file, ['1.0.0.1', '1.0.0.2', '1.0.0.3']);
    const rewrite = await file.beginRewrite(HEADER);
    await file.remove(['1.0.0.1']); // the snapshot has it still
    await file.add(['1.0.0.4']); // the snapshot has it already
    await file.add(['1.0.0.5']); // nor has it
    await rewrite.append(['1.0.0.1', '1.0.0.2', '1.0.0.3', '1.0.0.4']);
    await file.remove(['1.0.0.2', '1.0.0.9']); // read before it was removed
    await file.add(['1.0.0.6']);
    await file.remove(['1.0.0.6', '1.0.0.3']);
    await file.add(['1.0.0.3']); // away and back
    await rewrite.finish();
    expect(await liveKeys(path)).toEqual(new Set(['1.0.0.3', '1.0.0.4', '1.0.0.5']));
    expect(file).toMatchObject({ entryCount: 3, slotsUsed: 1, deadLines: 2 });
    await file.close();
  });

  test('changes during a rewrite are in the new file even if writing the old one failed', async () => {
    const path = await temporaryMapPath();
    const file = new MapFile({ path });
    await rewriteTo(file, ['1.1.1.1', '2.2.2.2']);
    const rewrite = await file.beginRewrite(HEADER);
    await rewrite.append(['1.1.1.1', '2.2.2.2']);
    await writeFile(path, '');
    await expect(file.add(['3.3.3.3'])).rejects.toEqual(failure('surprise'));
    await expect(file.remove(['2.2.2.2'])).rejects.toEqual(failure('behind'));
    await rewrite.finish();
    expect(await liveKeys(path)).toEqual(new Set(['1.1.1.1', '3.3.3.3']));
    await file.close();
  });

  test('changes during a rewrite may exceed the prepared slots', async () => {
    const path = await temporaryMapPath();
    const file = new MapFile({ path, slots: 64 });
    await rewriteTo(file, []);
    const rewrite = await file.beginRewrite(HEADER);
    const many = Array.from({ length: 3000 }, (_, n) => ipv4(n));
    await file.add(many);
    await rewrite.finish();
    expect(await liveKeys(path)).toEqual(new Set(many));
    await file.close();
  });
});

describe('a rewrite that fails', () => {
  test.each(['sync', 'rename'] as const)(
    'a rewrite that fails in its %s leaves the old file current and no temporary file',
    async (step) => {
      const path = await temporaryMapPath();
      const ops = { ...diskOps, sync: vi.fn(diskOps.sync), rename: vi.fn(diskOps.rename) };
      const file = new MapFile({ path, ops });
      await rewriteTo(file, ['1.1.1.1']);
      ops[step].mockRejectedValueOnce(broken());
      const reason = step === 'sync' ? 'sync-failed' : 'unwritable';
      await expect(rewriteTo(file, ['2.2.2.2'])).rejects.toEqual(failure(reason));
      expect(file.state).toBe('current');
      await file.add(['3.3.3.3']);
      expect(await liveKeys(path)).toEqual(new Set(['1.1.1.1', '3.3.3.3']));
      expect(await readdir(dirname(path))).toEqual([basename(path)]);
      await file.close();
    },
  );

  test('a rewrite that fails in the sync of the folder marks the file as behind', async () => {
    const path = await temporaryMapPath();
    const syncFolder = vi.fn(diskOps.syncFolder);
    const file = new MapFile({ path, ops: { ...diskOps, syncFolder } });
    await rewriteTo(file, ['1.1.1.1']);
    syncFolder.mockRejectedValueOnce(broken());
    await expect(rewriteTo(file, ['2.2.2.2'])).rejects.toEqual(failure('sync-failed'));
    expect(file.state).toBe('behind');
    await expect(file.add(['3.3.3.3'])).rejects.toEqual(failure('behind'));
    await rewriteTo(file, ['2.2.2.2']);
    expect(file.state).toBe('current');
    await file.close();
  });

  test('a rewrite with a short write fails as unwritable', async () => {
    const path = await temporaryMapPath();
    const write: typeof diskOps.write = async (file, bytes, position) =>
      diskOps.write(file, bytes.subarray(0, bytes.length - 1), position);
    const file = new MapFile({ path, ops: { ...diskOps, write } });
    await expect(rewriteTo(file, ['2.2.2.2'])).rejects.toEqual(failure('unwritable'));
    expect(await readdir(dirname(path))).toEqual([]);
  });
});

describe('the new file', () => {
  test('a rewrite keeps the mode of the old file, or uses the requested one for a new file', async () => {
    const path = await temporaryMapPath();
    const file = new MapFile({ path, mode: 0o604 });
    await rewriteTo(file, []);
    expect((await stat(path)).mode & 0o7777).toBe(0o604);
    await chmod(path, 0o664);
    await rewriteTo(file, []);
    expect((await stat(path)).mode & 0o7777).toBe(0o664);
    await file.close();
  });

  test.skipIf(process.getuid?.() !== 0)('a rewrite keeps the owner of the old file', async () => {
    const path = await temporaryMapPath();
    await writeFile(path, '');
    await chown(path, 12345, 23456);
    const file = new MapFile({ path });
    await rewriteTo(file, []);
    expect(await stat(path)).toMatchObject({ uid: 12345, gid: 23456 });
    await file.close();
  });

  test('a rewrite replaces the target of a symbolic link', async () => {
    const path = await temporaryMapPath();
    const real = join(dirname(path), 'real.map');
    await writeFile(real, '');
    await symlink(real, path);
    const file = new MapFile({ path });
    await rewriteTo(file, ['1.1.1.1']);
    await file.add(['2.2.2.2']);
    expect((await lstat(path)).isSymbolicLink()).toBe(true);
    expect(await liveKeys(real)).toEqual(new Set(['1.1.1.1', '2.2.2.2']));
    await file.close();
  });

  test('a rewrite removes temporary files of crashed processes', async () => {
    const path = await temporaryMapPath();
    const dead = spawnSync('true').pid;
    await writeFile(join(dirname(path), `.${basename(path)}.${dead}.0123456789ab.tmp`), 'half');
    const file = new MapFile({ path });
    await rewriteTo(file, []);
    expect(await readdir(dirname(path))).toEqual([basename(path)]);
    await rename(path, `${path}.away`);
    await file.close();
  });
});
