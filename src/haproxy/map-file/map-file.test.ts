import { appendFile, open, readdir, readFile, rename, stat, truncate, unlink, writeFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { HEADER, inOrder, ipv4, liveKeys, rewriteTo, temporaryMapPath } from '../../../testkit/haproxy/map-files.ts';
import { caseCount } from '../../../testkit/proxies.ts';
import { causeText } from '../../telemetry/log.ts';
import {
  countMapFileLines,
  MapFile,
  type MapFileDeps,
  MapFileError,
  readMapFile,
  readMapFileHeader,
} from './map-file.ts';
import { TAG_BYTES } from './map-file-layout.ts';
import { diskOps } from './map-file-ops.ts';

async function openedWith(ips: Iterable<string>, options: Omit<MapFileDeps, 'path'> = {}) {
  const path = await temporaryMapPath();
  const file = new MapFile({ path, ...options });
  await rewriteTo(file, ips);
  return { path, file };
}

const failure = (reason: string) => expect.objectContaining({ name: 'MapFileError', reason });
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => ipv4(from + n));

describe('a map file', () => {
  test('a map file accepts no changes before its first rewrite', async () => {
    const file = new MapFile({ path: await temporaryMapPath() });
    expect(file.state).toBe('unopened');
    expect(await file.unchanged()).toBe(false);
    await expect(file.add(['1.2.3.4'])).rejects.toEqual(failure('behind'));
    await expect(file.remove(['1.2.3.4'])).rejects.toEqual(failure('behind'));
    await expect(file.has('1.2.3.4')).rejects.toEqual(failure('behind'));
  });

  test('a map file contains what was rewritten and added, without what was removed', async () => {
    const { path, file } = await openedWith(['10.0.0.0/8', '192.0.2.1', '2001:db8::/32']);
    await file.add(['198.51.100.7', '2001:db8::1']);
    expect(await file.remove(['192.0.2.1', '203.0.113.9', '198.51.100.7'])).toEqual({
      removed: ['192.0.2.1', '198.51.100.7'],
    });
    expect(await liveKeys(path)).toEqual(new Set(['10.0.0.0/8', '2001:db8::/32', '2001:db8::1']));
    expect(file).toMatchObject({ state: 'current', entryCount: 3, slotsUsed: 1, deadLines: 1 });
    expect(await countMapFileLines(path)).toBe(3);
    for (const ip of ['10.0.0.0/8', '2001:db8::1']) expect(await file.has(ip)).toBe(true);
    for (const ip of ['10.0.0.0', '192.0.2.1', '198.51.100.7', '1.1.1.1']) expect(await file.has(ip)).toBe(false);
    await file.close();
  });

  test('a map file contains an address once, however often it is added', async () => {
    const { path, file } = await openedWith(['1.1.1.1']);
    await file.add(['1.1.1.1', '2.2.2.2', '2.2.2.2']);
    await file.add(['2.2.2.2']);
    expect(await liveKeys(path)).toEqual(new Set(['1.1.1.1', '2.2.2.2']));
    expect(file.entryCount).toBe(2);
    await file.close();
  });

  test('a map file counts as unchanged during a change or rewrite of the service itself', async () => {
    const many = range(0, 3_000);
    const { path, file } = await openedWith(['1.1.1.1']);
    const looks: boolean[] = [];
    let looking = true;
    const look = async (): Promise<void> => {
      while (looking) {
        looks.push(await file.unchanged());
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    const looked = look();
    await file.add(many);
    await file.remove(many);
    for (let round = 0; round < 5 || looks.length <= 10; round += 1) await rewriteTo(file, many);
    looking = false;
    await looked;
    expect(looks).not.toContain(false);
    await appendFile(path, '# foreign\n');
    expect(await file.unchanged()).toBe(false);
    await file.close();
  });

  test('a map file accepts a removed address again', async () => {
    const { path, file } = await openedWith(['1.1.1.1']);
    for (let round = 0; round < 3; round += 1) {
      await file.remove(['1.1.1.1']);
      expect(await liveKeys(path)).toEqual(new Set());
      await file.add(['1.1.1.1']);
      expect(await liveKeys(path)).toEqual(new Set(['1.1.1.1']));
    }
    await file.close();
  });

  test('a map file gets more slots when they run out, all of them aligned', async () => {
    const { path, file } = await openedWith(range(0, 10), { slots: 64 });
    await file.add(range(100, 150));
    const before = (await stat(path)).size;
    await file.add(range(200, 900));
    const after = (await stat(path)).size;
    expect(after).toBeGreaterThan(before);
    expect(after % 64).toBe(0);
    expect((await liveKeys(path)).size).toBe(760);
    const bytes = await readFile(path);
    for (const ip of [ipv4(100), ipv4(149), ipv4(200), ipv4(899)]) {
      expect((bytes.indexOf(`\n${ip} 1 `) + 1) % 64).toBe(TAG_BYTES);
    }
    await file.close();
  });

  test('a map file does not grow under steady blocking and unblocking', async () => {
    const { path, file } = await openedWith([], { slots: 64 });
    const before = (await stat(path)).size;
    for (let n = 0; n < 500; n += 1) {
      await file.add([ipv4(n)]);
      if (n >= 10) await file.remove([ipv4(n - 10)]);
    }
    expect((await stat(path)).size).toBe(before);
    expect(await liveKeys(path)).toEqual(new Set(range(490, 500)));
    await file.close();
  });

  test.each(['1.2.3.4/32', '2001:DB8::1', 'example.com', '1.2.3.4 1\n5.6.7.8'])(
    'a map file refuses %j and stays unchanged',
    async (ip) => {
      const { path, file } = await openedWith(['1.1.1.1']);
      await expect(file.add(['2.2.2.2', ip])).rejects.toEqual(failure('not-canonical'));
      await expect(file.remove(['1.1.1.1', ip])).rejects.toEqual(failure('not-canonical'));
      expect(file.state).toBe('current');
      expect(await liveKeys(path)).toEqual(new Set(['1.1.1.1']));
      await file.close();
    },
  );

  test('a map file records the number of each change with its write, without a sync for a change without lines', async () => {
    const dataSync = vi.fn(diskOps.dataSync);
    const { path, file } = await openedWith(['1.1.1.1', '2.2.2.2'], { ops: { ...diskOps, dataSync } });
    const now = async () => (await readMapFileHeader(path)).last;
    await file.add(['3.3.3.3'], 2);
    expect(await now()).toBe(2);
    await file.remove(['1.1.1.1'], 3);
    expect(await now()).toBe(3);
    await file.remove(['3.3.3.3'], 4);
    await file.add(['4.4.4.4'], 5);
    expect(await now()).toBe(5);
    // Two lines already present, one absent: no write, no number.
    await file.add(['2.2.2.2'], 6);
    await file.remove(['9.9.9.9'], 6);
    expect(await now()).toBe(5);
    // Rolled back: the change was not committed, and its number is used again.
    await file.remove(['4.4.4.4']);
    await file.add(['5.5.5.5'], 5);
    expect(await now()).toBe(5);
    expect(dataSync).toHaveBeenCalledTimes(6);
    await file.note(7);
    await file.note(6);
    expect(await now()).toBe(7);
    expect(dataSync).toHaveBeenCalledTimes(6);
    expect(await file.unchanged()).toBe(true);
    const tags: unknown[] = [];
    for await (const lines of readMapFile(path)) {
      for (const line of lines) if (line.kind === 'entry') tags.push([line.key, line.generation]);
    }
    expect(tags).toEqual([
      ['2.2.2.2', undefined],
      ['5.5.5.5', 5],
    ]);
    await file.close();
  });

  test('a map file records no change before its first rewrite, nor after a write of another process', async () => {
    const { path, file } = await openedWith(['1.1.1.1']);
    await new MapFile({ path }).note(9);
    await appendFile(path, '2.2.2.2 1\n');
    await expect(file.note(9)).rejects.toEqual(failure('surprise'));
    expect((await readMapFileHeader(path)).last).toBe(HEADER.generation);
    expect(file.state).toBe('behind');
    await file.close();
  });

  test('a map file writes and syncs nothing for a change without effect', async () => {
    const dataSync = vi.fn(diskOps.dataSync);
    const writeNow = vi.fn(diskOps.writeNow);
    const { file } = await openedWith(['1.1.1.1'], { ops: { ...diskOps, dataSync, writeNow } });
    await file.add(['1.1.1.1']);
    await file.remove(['2.2.2.2']);
    await file.has('1.1.1.1');
    expect(writeNow).not.toHaveBeenCalled();
    expect(dataSync).not.toHaveBeenCalled();
    await file.add(['2.2.2.2', '3.3.3.3', '4.4.4.4']);
    // Three contiguous slots: one write, three flips, one sync.
    expect(writeNow).toHaveBeenCalledTimes(4);
    expect(dataSync).toHaveBeenCalledTimes(1);
    await file.close();
  });

  test('a closed map file is unopened again', async () => {
    const { path, file } = await openedWith(['1.1.1.1']);
    await file.beginRewrite(HEADER);
    await file.close();
    expect(file.state).toBe('unopened');
    expect(await readdir(dirname(path))).toEqual([basename(path)]);
  });
});

describe('a change of the map file by another process', () => {
  const edits: [name: string, edit: (path: string) => Promise<void>][] = [
    ['appending a line', (path) => appendFile(path, '6.6.6.6 1\n')],
    ['truncating the file', (path) => truncate(path, 200)],
    ['deleting the file', unlink],
    [
      'replacing the file',
      async (path) => {
        await writeFile(`${path}.new`, await readFile(path));
        await rename(`${path}.new`, path);
      },
    ],
    [
      'changing a byte in place',
      async (path) => {
        const before = (await stat(path, { bigint: true })).mtimeNs;
        const file = await open(path, 'r+');
        // With a coarse kernel clock an edit within the same tick has the same time.
        while ((await stat(path, { bigint: true })).mtimeNs === before) await file.write('#', 128);
        await file.close();
      },
    ],
  ];
  describe.each(edits)('%s', (_name, edit) => {
    test.each(['add', 'remove'] as const)('is detected before an %s, and a rewrite repairs it', async (change) => {
      const { path, file } = await openedWith(['1.1.1.1', '2.2.2.2']);
      await file.add(['3.3.3.3']);
      expect(await file.unchanged()).toBe(true);
      await edit(path);
      expect(await file.unchanged()).toBe(false);
      await expect(file[change](['2.2.2.2'])).rejects.toEqual(failure('surprise'));
      expect(file.state).toBe('behind');
      await expect(file[change](['2.2.2.2'])).rejects.toEqual(failure('behind'));
      await rewriteTo(file, ['1.1.1.1', '5.5.5.5']);
      expect(file.state).toBe('current');
      await file.add(['4.4.4.4']);
      expect(await liveKeys(path)).toEqual(new Set(['1.1.1.1', '4.4.4.4', '5.5.5.5']));
      await file.close();
    });
  });
});

describe('when the disk fails', () => {
  const broken = () => Object.assign(new Error('EIO: i/o error'), { code: 'EIO' });

  test.each(['add', 'remove'] as const)(
    'a failed fdatasync fails the %s, and the file is never synced again',
    async (change) => {
      const dataSync = vi.fn(diskOps.dataSync);
      const { path, file } = await openedWith(['1.1.1.1'], { ops: { ...diskOps, dataSync } });
      dataSync.mockRejectedValueOnce(broken());
      const ip = change === 'add' ? '2.2.2.2' : '1.1.1.1';
      await expect(file[change]([ip])).rejects.toEqual(
        expect.objectContaining({ reason: 'sync-failed', cause: expect.objectContaining({ code: 'EIO' }) }),
      );
      expect(file.state).toBe('behind');
      expect(await file.unchanged()).toBe(false);
      const said = await file.add(['3.3.3.3']).catch(causeText);
      expect(said).toBe(
        `the map file ${path} accepts no changes until it is rewritten: it could not be synced to disk: EIO: i/o error`,
      );
      for (let tries = 0; tries < 2; tries += 1) await expect(file.add(['3.3.3.3'])).rejects.toEqual(failure('behind'));
      expect(dataSync).toHaveBeenCalledTimes(1);
      await rewriteTo(file, ['1.1.1.1', '2.2.2.2']);
      await file.add(['3.3.3.3']);
      expect(await liveKeys(path)).toEqual(new Set(['1.1.1.1', '2.2.2.2', '3.3.3.3']));
      await file.close();
    },
  );

  test.each([1, 2, 3])(
    'a refused or short write number %d of a group leaves complete lines and marks the file as behind',
    async (number) => {
      for (const short of [true, false]) {
        let writes = 0;
        const writeNow: typeof diskOps.writeNow = (file, bytes, position) => {
          writes += 1;
          if (writes !== number) return diskOps.writeNow(file, bytes, position);
          if (!short) throw broken();
          return diskOps.writeNow(file, bytes.subarray(0, Math.floor(bytes.length / 2)), position);
        };
        const { path, file } = await openedWith(['1.1.1.1'], { ops: { ...diskOps, writeNow } });
        await expect(file.add(['2.2.2.2', '3.3.3.3'])).rejects.toEqual(failure('unwritable'));
        expect(file.state).toBe('behind');
        expect([...(await liveKeys(path))]).toEqual(['1.1.1.1', '2.2.2.2'].slice(0, Math.max(1, number - 1)));
        await file.close();
      }
    },
  );

  test('an incomplete append of slots leaves complete lines and marks the file as behind', async () => {
    let full = false;
    const write: typeof diskOps.write = (file, bytes, position) =>
      diskOps.write(file, full ? bytes.subarray(0, 100) : bytes, position);
    const { path, file } = await openedWith(['1.1.1.1'], { slots: 64, ops: { ...diskOps, write } });
    full = true;
    await expect(file.add(range(0, 65))).rejects.toEqual(failure('unwritable'));
    expect(await liveKeys(path)).toEqual(new Set(['1.1.1.1']));
    full = false;
    await rewriteTo(file, range(0, 65));
    expect((await liveKeys(path)).size).toBe(65);
    await file.close();
  });

  test('an error of the map file names the file', async () => {
    const { path, file } = await openedWith([]);
    await unlink(path);
    const error: unknown = await file.add(['1.1.1.1']).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(MapFileError);
    expect((error as Error).message).toContain(path);
  });
});

const anyIp = fc.oneof(
  { weight: 3, arbitrary: fc.nat(400).map((n) => ipv4(n * 3)) },
  fc.nat(40).map((n) => `2001:db8::${(n + 1).toString(16)}`),
  fc.nat(20).map((n) => `192.${n}.0.0/16`),
);
const anyStep = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('add' as const), ips: fc.array(anyIp, { maxLength: 12 }) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('remove' as const), ips: fc.array(anyIp, { maxLength: 12 }) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constantFrom('begin' as const, 'append' as const, 'finish' as const, 'abort' as const),
    }),
  },
);

test('any sequence of adds, removes and overlapping rewrites leaves exactly the expected set', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { maxLength: 40 }), async (steps) => {
      const path = await temporaryMapPath();
      const file = new MapFile({ path, slots: 64 });
      const model = new Set(range(0, 600));
      await rewriteTo(file, model);
      let rewrite: { run: Awaited<ReturnType<MapFile['beginRewrite']>>; rest: string[] } | null = null;
      for (const step of steps) {
        if (step.do === 'add') {
          await file.add(step.ips);
          for (const ip of step.ips) model.add(ip);
        } else if (step.do === 'remove') {
          const there = [...new Set(step.ips)].filter((ip) => model.delete(ip));
          expect((await file.remove(step.ips)).removed).toEqual(there);
        } else if (step.do === 'begin' && rewrite === null) {
          rewrite = { run: await file.beginRewrite(HEADER), rest: inOrder(model) };
        } else if (step.do === 'append' && rewrite !== null) {
          await rewrite.run.append(rewrite.rest.splice(0, 250));
        } else if (step.do === 'finish' && rewrite !== null) {
          await rewrite.run.append(rewrite.rest);
          expect((await rewrite.run.finish()).entries).toBe(model.size);
          rewrite = null;
        } else if (step.do === 'abort' && rewrite !== null) {
          await rewrite.run.abort();
          rewrite = null;
        }
        expect(file.entryCount).toBe(model.size);
        expect(await liveKeys(path)).toEqual(model);
      }
      await file.close();
      expect(await readdir(dirname(path))).toEqual([basename(path)]);
    }),
    { numRuns: caseCount(180) },
  );
});
