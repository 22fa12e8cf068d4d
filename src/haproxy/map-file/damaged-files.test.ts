import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { damaged, pieces, transcripts } from '../../../testkit/damage.ts';
import { parseIp } from '../../domain/ip.ts';
import { parseStat } from '../../system/processes.ts';
import { findMaster, runsConfiguration } from '../process/master-process.ts';
import {
  bodyLine,
  emptySlots,
  HEADER_BYTES,
  headerLine,
  nowLine,
  padding,
  parseHeaderLine,
  SLOT_BYTES,
  TAG_BYTES,
  writeHiddenSlot,
} from './map-file-layout.ts';
import { type MapFileLine, MapLineParser } from './map-file-reader.ts';
import { SlotTable } from './map-file-slots.ts';

const header = { database: '0f7e6a1c-3b0e-4c8e-9d0a-5b1f2c3d4e5f', generation: 42 };

function mapFile(): Buffer {
  const body = ['10.0.0.0/8', '192.0.2.1', '198.51.100.7', '2001:db8::/32'].map(bodyLine).join('');
  const slots = emptySlots(4);
  writeHiddenSlot(slots, 0, '203.0.113.9', 7);
  slots[TAG_BYTES] = '2'.charCodeAt(0);
  writeHiddenSlot(slots, SLOT_BYTES, '203.0.113.10', 8);
  const begin = Buffer.concat([headerLine(header), nowLine(43), Buffer.from(body)]);
  return Buffer.concat([begin, padding(begin.length), slots]);
}

function linesOf(parts: readonly Buffer[]): MapFileLine[] {
  const parser = new MapLineParser();
  return [...parts.flatMap((part) => parser.push(part)), ...parser.end()];
}

describe('a map file', () => {
  const file = mapFile();
  const entries = ['10.0.0.0/8', '192.0.2.1', '198.51.100.7', '2001:db8::/32', '203.0.113.9'];

  test('reads a map file as it was written', () => {
    const lines = linesOf([file]);
    expect(lines.map((line) => (line.kind === 'entry' ? `${line.key} ${line.value}` : line.why))).toEqual(
      entries.map((key) => `${key} 1`),
    );
  });

  test('reads a map file, damaged or not, the same at once, byte by byte and in any pieces', () => {
    const parts = fc
      .oneof(fc.constant(file), damaged(file))
      .chain((bytes) => pieces(bytes).map((cut) => [bytes, cut] as const));
    fc.assert(
      fc.property(parts, ([bytes, cut]) => void expect(linesOf(cut)).toEqual(linesOf([bytes]))),
      { numRuns: 200 },
    );
  });

  test('reads no entry that is not a line of the damaged map file', () => {
    fc.assert(
      fc.property(damaged(file), (bytes) => {
        const texts = bytes.toString('latin1').split('\n');
        for (const line of linesOf([bytes])) {
          const text = texts[line.line - 1] ?? '';
          if (line.kind === 'damaged') continue;
          // HAProxy ends a line at its first CR, and only space and tab separate words: 0xA0 is part of a word.
          const words = (text.split('\r')[0] ?? '').replaceAll(/^[ \t]+|[ \t]+$/g, '').split(/[ \t]+/);
          expect([line.key, line.value.replaceAll(/[ \t]+/g, ' ')]).toEqual([words[0], words.slice(1).join(' ')]);
          expect(text.startsWith('#') || text.includes('\0')).toBe(false);
        }
      }),
      { numRuns: 500 },
    );
  });

  test('buffers at most one line of a map file, however long it is', () => {
    const parser = new MapLineParser();
    const found = Array.from({ length: 100 }, () => parser.push(Buffer.alloc(65_536, '1'))).flat();
    expect(found).toHaveLength(1);
    expect(found[0]).toMatchObject({ kind: 'damaged', line: 1 });
    expect(parser.push(Buffer.from('\n10.1.1.1 1\n'))).toMatchObject([{ kind: 'entry', key: '10.1.1.1', line: 2 }]);
  });

  test('reads a header of a map file exactly, and a damaged one never wrong', () => {
    const database = fc.stringMatching(/^[0-9A-Za-z-]{1,64}$/);
    fc.assert(
      fc.property(database, fc.nat(Number.MAX_SAFE_INTEGER), (name, generation) => {
        const line = headerLine({ database: name, generation });
        expect(line).toHaveLength(HEADER_BYTES);
        expect(parseHeaderLine(line.toString('latin1', 0, HEADER_BYTES - 1))).toEqual({ database: name, generation });
      }),
    );
    fc.assert(
      fc.property(damaged(headerLine(header)), (bytes) => {
        const text = bytes.toString('latin1').split('\n')[0] ?? '';
        const read = parseHeaderLine(text);
        if (read !== null)
          expect(text.trimEnd()).toBe(`# proxy-manager database=${read.database} generation=${read.generation}`);
      }),
      { numRuns: 500 },
    );
  });

  test('never assigns one slot of a map file to two addresses', () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    const steps = fc.array(fc.tuple(fc.constantFrom('add', 'free', 'grow'), fc.constantFrom(...names)), {
      maxLength: 300,
    });
    fc.assert(
      fc.property(steps, (list) => {
        const table = new SlotTable(64);
        const held = new Map<string, number>();
        for (const [step, name] of list) {
          if (step === 'add' && !held.has(name)) {
            table.grow(table.shortage(1));
            const slot = table.take();
            expect([...held.values()]).not.toContain(slot);
            expect(slot).toBeLessThan(table.count);
            table.hold(name, slot);
            held.set(name, slot);
          } else if (step === 'free') {
            table.free(name);
            held.delete(name);
          } else if (step === 'grow') table.grow(table.shortage(0));
          expect(table.used).toBe(held.size);
        }
      }),
      { numRuns: 100 },
    );
  });
});

test('every key read from a map file is canonical or recognised as not canonical', () => {
  fc.assert(
    fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (address) => {
      const parsed = parseIp(address);
      expect(parsed.ok).toBe(true);
      if (!parsed.ok) return;
      const [line] = linesOf([Buffer.from(bodyLine(parsed.entry.text))]);
      expect(line).toEqual({ kind: 'entry', key: parsed.entry.text, value: '1', line: 1 });
    }),
  );
});

describe.each(transcripts)('/proc next to HAProxy %s', (_version, { stat, commandLine, pidFile }) => {
  test('reads a stat line of /proc, and a damaged one never wrong', () => {
    const whole = parseStat(stat);
    expect(whole).toMatchObject({ state: expect.stringMatching(/^[SR]$/) });
    fc.assert(
      fc.property(damaged(Buffer.from(stat, 'latin1')), (bytes) => {
        const text = bytes.toString('latin1');
        const read = parseStat(text);
        if (read === null) return;
        const fields = text.slice(text.lastIndexOf(') ') + 2).split(' ');
        expect([read.state, read.parent, read.startTime]).toEqual([fields[0], Number(fields[1]), Number(fields[19])]);
        expect(fields[19]).toMatch(/^\d+$/);
        expect(fields.length).toBeGreaterThan(20);
      }),
      { numRuns: 500 },
    );
  });

  test('recognises a master only if its arguments name exactly this configuration', () => {
    const wordsOf = (text: string) => text.replace(/\0$/, '').split('\0');
    expect(runsConfiguration(wordsOf(commandLine), '/run/pm/proxy.cfg')).toBe(true);
    fc.assert(
      fc.property(damaged(Buffer.from(commandLine, 'latin1')), (bytes) => {
        const words = wordsOf(bytes.toString('latin1'));
        if (!runsConfiguration(words, '/run/pm/proxy.cfg')) return;
        const at = words.flatMap((word, index) => (word === '-f' ? [words[index + 1] ?? ''] : []));
        expect(at.some((path) => /^\/(.*\/)?run\/(.*\/)?pm\/(.*\/)?proxy\.cfg\/*$|\.\./.test(path))).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  describe('a pid file', () => {
    let folder = '';
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'pm-pid-'));
    });
    afterAll(() => rm(folder, { recursive: true }));

    test('a damaged pid file never yields another pid', async () => {
      const path = join(folder, 'proxy.pid');
      await fc.assert(
        fc.asyncProperty(damaged(Buffer.from(pidFile, 'latin1')), async (bytes) => {
          await writeFile(path, bytes);
          // The process with this pid does not run this configuration.
          expect(await findMaster(path, join(folder, 'proxy.cfg'))).toBeNull();
        }),
        { numRuns: 100 },
      );
    });
  });
});
