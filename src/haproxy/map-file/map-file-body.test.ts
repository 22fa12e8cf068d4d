import { open, writeFile } from 'node:fs/promises';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ipv4, temporaryMapPath } from '../../../testkit/haproxy/map-files.ts';
import { MapFileBody } from './map-file-body.ts';
import { bodyLine, canonicalEntry, HEADER_BYTES } from './map-file-layout.ts';

/** Every third address, so that there is a gap between any two; dead lines lose their first character. */
async function bodyOf(count: number, isDead: (n: number) => boolean) {
  const path = await temporaryMapPath();
  const lines = Array.from({ length: count }, (_, n) => {
    const line = bodyLine(ipv4(n * 3));
    return isDead(n) ? `#${line.slice(1)}` : line;
  }).join('');
  await writeFile(path, `${'#'.padEnd(HEADER_BYTES - 1)}\n${lines}`);
  const file = await open(path, 'r+');
  onTestFinished(() => file.close());
  const offsetOf = (n: number) => {
    let offset = HEADER_BYTES;
    for (let before = 0; before < n; before += 1) offset += bodyLine(ipv4(before * 3)).length;
    return offset;
  };
  const body = new MapFileBody({ path, file, start: HEADER_BYTES, end: HEADER_BYTES + lines.length });
  return { path, file, offsetOf, body };
}

function check(body: MapFileBody, count: number, isDead: (n: number) => boolean, step = 1) {
  const wrong: string[] = [];
  for (let n = 0; n < count; n += step) {
    const [line, between] = [ipv4(n * 3), ipv4(n * 3 + 1)];
    if ((body.find(canonicalEntry(line)) === -1) !== isDead(n)) wrong.push(line);
    if (body.find(canonicalEntry(between)) !== -1) wrong.push(between);
  }
  expect(wrong).toEqual([]);
  for (const absent of ['0.0.0.1', '255.255.255.255', 'ffff::', '10.0.0.0/31']) {
    expect(body.find(canonicalEntry(absent))).toBe(-1);
  }
}

describe('the search finds exactly the live lines', () => {
  const patterns: [name: string, count: number, isDead: (n: number) => boolean][] = [
    ['of an empty body', 0, () => false],
    ['of one line', 1, () => false],
    ['of one dead line', 1, () => true],
    ['with none dead', 20_000, () => false],
    ['with all dead', 20_000, () => true],
    ['with every second one dead', 20_000, (n) => n % 2 === 0],
    ['with one alive in a hundred', 20_000, (n) => n % 100 !== 0],
    ['with one alive in five thousand', 20_000, (n) => n % 5000 !== 4321],
    ['with only the first alive', 20_000, (n) => n !== 0],
    ['with only the last alive', 20_000, (n) => n !== 19_999],
    ['with the first half dead', 20_000, (n) => n < 10_000],
    ['with the second half dead', 20_000, (n) => n >= 10_000],
  ];
  test.each(patterns)('%s', async (_name, count, isDead) => {
    const { body } = await bodyOf(count, isDead);
    check(body, count, isDead, 3);
  });

  test('finds exactly the live lines between any runs of dead lines', async () => {
    const run = fc.record({ from: fc.nat(3000), length: fc.nat(1500) });
    await fc.assert(
      fc.asyncProperty(fc.array(run, { maxLength: 6 }), fc.nat(3000), async (runs, count) => {
        const isDead = (n: number) => runs.some(({ from, length }) => n >= from && n < from + length);
        const { body } = await bodyOf(count, isDead);
        check(body, count, isDead, 7);
      }),
      { numRuns: 40 },
    );
  });

  test('finds exactly the live lines while lines are removed', async () => {
    const count = 4000;
    const { body, file, offsetOf } = await bodyOf(count, () => false);
    const dead = new Set<number>();
    for (let round = 1; dead.size < count; round += 1) {
      for (let n = 0; n < count; n += 1) {
        if (dead.has(n) || (n * 7919 + round) % 5 !== 0) continue;
        const at = body.find(canonicalEntry(ipv4(n * 3)));
        if (n % 500 === 0) expect(at).toBe(offsetOf(n));
        await file.write('#', at);
        dead.add(n);
      }
      check(body, count, (n) => dead.has(n), 13);
    }
  });
});

describe('a body that this service did not write is reported as a surprise:', () => {
  const edits: [name: string, content: string][] = [
    ['no newline at all', 'x'.repeat(200_000)],
    ['dead without end', '#'.repeat(200_000)],
    ['lines without a value', '10.0.0.1\n'.repeat(22_000)],
    ['lines of words', 'hello 1\n'.repeat(25_000)],
    ['a file cut short', '10.0.0.1 1\n'.repeat(100)],
  ];
  test.each(edits)('%s', async (_name, content) => {
    const path = await temporaryMapPath();
    await writeFile(path, `${'#'.padEnd(HEADER_BYTES - 1)}\n${content}`);
    const file = await open(path, 'r');
    onTestFinished(() => file.close());
    const body = new MapFileBody({ path, file, start: HEADER_BYTES, end: HEADER_BYTES + 190_000 });
    expect(() => body.find(canonicalEntry('10.0.0.2'))).toThrow(expect.objectContaining({ reason: 'surprise' }));
  });
});
