// Promise 10: a crash at any byte leaves only complete lines. Each write to the real file is cut at every byte first.
import { fstatSync, readFileSync, statSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { collect, HEADER, inOrder, ipv4, rewriteTo, temporaryMapPath } from '../../../testkit/haproxy/map-files.ts';
import { caseCount, longTests } from '../../../testkit/proxies.ts';
import { MapFile } from './map-file.ts';
import { diskOps, type MapFileOps } from './map-file-ops.ts';
import { type MapFileLine, MapLineParser } from './map-file-reader.ts';

const SECTOR = 512;

interface Allowed {
  readonly before: ReadonlySet<string>;
  readonly adds: ReadonlySet<string>;
  readonly removes: ReadonlySet<string>;
  readonly change: number;
}

/** After the crash: no damaged line, no lost entry, and none that was not added. */
function checkContent(content: Buffer, { before, adds, removes }: Allowed): MapFileLine[] {
  const keys = new Set<string>();
  const parser = new MapLineParser();
  const lines = [...parser.push(content), ...parser.end()];
  collect(lines, keys);
  for (const key of keys) if (!before.has(key) && !adds.has(key)) throw new Error(`${key} was never added`);
  for (const key of before) if (!keys.has(key) && !removes.has(key)) throw new Error(`${key} was lost`);
  return lines;
}

/** No line of a slot appears without the number of a change that had begun. */
function checkNumbers(lines: readonly MapFileLine[], { removes, change }: Allowed): void {
  for (const line of lines) {
    // Its committed removal may have written half of its number.
    if (line.kind !== 'entry' || BODY.includes(line.key) || removes.has(line.key)) continue;
    if (line.generation === undefined || line.generation > change) throw new Error(`${line.key} of ${line.generation}`);
  }
}

function withWrite(content: Buffer, bytes: Uint8Array, position: number): Buffer {
  const result = Buffer.alloc(Math.max(content.length, position + bytes.length));
  content.copy(result);
  result.set(bytes, position);
  return result;
}

const steps = fc.array(
  fc.record({
    add: fc.boolean(),
    ips: fc.array(
      fc.nat(120).map((n) => ipv4(n * 5)),
      { minLength: 1, maxLength: 6 },
    ),
  }),
  { minLength: 1, maxLength: 25 },
);
const BODY = inOrder(Array.from({ length: 60 }, (_, n) => ipv4(n * 10)));

async function run(
  path: string,
  ops: MapFileOps,
  changes: { add: boolean; ips: string[] }[],
  start: (allowed: Allowed) => void,
) {
  const file = new MapFile({ path, slots: 64, ops });
  const model = new Set(BODY);
  await rewriteTo(file, model);
  let generation = HEADER.generation;
  for (const { add, ips } of changes) {
    generation += 1;
    const none = new Set<string>();
    start({
      before: new Set(model),
      adds: add ? new Set(ips) : none,
      removes: add ? none : new Set(ips),
      change: generation,
    });
    await (add ? file.add(ips, generation) : file.remove(ips, generation));
    for (const ip of ips) add ? model.add(ip) : model.delete(ip);
  }
  await file.close();
}

/** Makes the changes, each write cut at every byte first; returns the number of cuts. */
async function cutEverywhere(changes: { add: boolean; ips: string[] }[]): Promise<number> {
  const path = await temporaryMapPath();
  let allowed: Allowed | null = null;
  let cuts = 0;
  const ops: MapFileOps = {
    ...diskOps,
    writeNow: (file, bytes, position) => {
      if (allowed !== null && isAt(path, file)) {
        const content = readFileSync(path);
        for (let length = 0; length <= bytes.length; length += 1, cuts += 1) {
          const cut = withWrite(content, bytes.subarray(0, length), position);
          checkNumbers(checkContent(cut, allowed), allowed);
        }
      }
      return diskOps.writeNow(file, bytes, position);
    },
  };
  await run(path, ops, changes, (next) => {
    allowed = next;
  });
  return cuts;
}

test('each write of a map file, truncated at any byte, leaves complete and correct lines', async () => {
  let cuts = 0;
  await fc.assert(
    fc.asyncProperty(steps, async (changes) => {
      cuts += await cutEverywhere(changes);
    }),
    { numRuns: caseCount(40) },
  );
  expect(cuts).toBeGreaterThan(1000);
});

test('each write to a reused slot, truncated at any byte, leaves complete and correct lines', async () => {
  const count = longTests ? 150 : 20;
  const changes = Array.from({ length: count }, (_, n) => [
    { add: true, ips: [ipv4(5000 + n)] },
    { add: false, ips: [ipv4(5000 + n)] },
  ]).flat();
  expect(await cutEverywhere(changes)).toBeGreaterThan(count * 65);
});

test('appended slots, truncated at any byte, leave complete lines', async () => {
  const path = await temporaryMapPath();
  const allowed: Allowed = { before: new Set(BODY), adds: new Set(), removes: new Set(), change: 1 };
  const step = longTests ? 7 : 21;
  let cuts = 0;
  const ops: MapFileOps = {
    ...diskOps,
    write: (file, bytes, position) => {
      // The rewrite's own writes are to a file without a path.
      if (position > 0 && cuts === 0 && isAt(path, file)) {
        const content = withWrite(readFileSync(path), bytes, position);
        // No factor of 64, so every byte of a slot is cut in some slot.
        for (let length = position; length <= content.length; length += step, cuts += 1) {
          checkContent(content.subarray(0, length), allowed);
        }
      }
      return diskOps.write(file, bytes, position);
    },
  };
  const file = new MapFile({ path, slots: 64, ops });
  await rewriteTo(file, BODY);
  await file.add(Array.from({ length: 65 }, (_, n) => ipv4(n * 5 + 1)));
  expect(cuts).toBeGreaterThan((64 * 64) / step);
  await file.close();
});

test('a power failure that loses some sectors of a change leaves complete lines', async () => {
  let crashes = 0;
  const anySeed = fc.infiniteStream(fc.nat(1000));
  await fc.assert(
    fc.asyncProperty(steps, anySeed, async (changes, dice) => {
      const path = await temporaryMapPath();
      let allowed: Allowed | null = null;
      let versions: Buffer[] = [];
      const ops: MapFileOps = {
        ...diskOps,
        writeNow: (file, bytes, position) => {
          if (allowed === null) return diskOps.writeNow(file, bytes, position);
          if (versions.length === 0) versions.push(readFileSync(path));
          const written = diskOps.writeNow(file, bytes, position);
          versions.push(readFileSync(path));
          return written;
        },
        dataSync: async (file) => {
          for (let tries = 0; versions.length > 0 && tries < 30; tries += 1, crashes += 1) {
            const content = Buffer.alloc((versions[0] as Buffer).length);
            for (let at = 0; at < content.length; at += SECTOR) {
              const version = versions[(dice.next().value as number) % versions.length] as Buffer;
              version.copy(content, at, at, at + SECTOR);
            }
            checkContent(content, allowed as Allowed);
          }
          await diskOps.dataSync(file);
          versions = [];
        },
      };
      await run(path, ops, changes, (next) => {
        allowed = next;
      });
    }),
    { numRuns: caseCount(60) },
  );
  expect(crashes).toBeGreaterThan(1000);
});

function isAt(path: string, file: FileHandle): boolean {
  const there = statSync(path, { throwIfNoEntry: false });
  return there !== undefined && there.ino === fstatSync(file.fd).ino;
}
