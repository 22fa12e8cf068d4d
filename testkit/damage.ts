// Real bytes, cut into pieces and damaged, for property tests of parsers.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import type { Transcript } from './record-transcripts.ts';

/** Recorded by `record-transcripts.ts`. */
export const transcripts: readonly (readonly [string, Transcript])[] = ['2.6', '3.0', '3.2', '3.4'].map((version) => {
  const path = join(import.meta.dirname, 'transcripts', `haproxy-${version}.json`);
  return [version, JSON.parse(readFileSync(path, 'utf8')) as Transcript] as const;
});

/** The same bytes: complete, byte by byte, and cut at random. */
export function pieces(bytes: Buffer): fc.Arbitrary<Buffer[]> {
  const cut = fc
    .array(fc.nat(bytes.length), { maxLength: 12 })
    .map((places) => [0, ...places.sort((a, b) => a - b), bytes.length])
    .map((places) => places.slice(1).map((to, index) => bytes.subarray(places[index], to)));
  const single = Array.from({ length: bytes.length }, (_, index) => bytes.subarray(index, index + 1));
  return fc.oneof(
    { weight: 1, arbitrary: fc.constant<Buffer[]>([bytes]) },
    { weight: 1, arbitrary: fc.constant(single) },
    { weight: 8, arbitrary: cut },
  );
}

type Damage = (bytes: Buffer) => Buffer;

const place = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true });
const at = (bytes: Buffer, where: number): number => Math.floor(where * (bytes.length + 1));

const damages: fc.Arbitrary<Damage> = fc.oneof(
  fc.tuple(place, fc.nat(7)).map(([where, bit]) => (bytes: Buffer) => {
    const copy = Buffer.from(bytes);
    const index = Math.min(at(bytes, where), copy.length - 1);
    if (index >= 0) copy[index] = (copy[index] as number) ^ (1 << bit);
    return copy;
  }),
  // Cut at either end, or a part removed.
  fc.tuple(place, place).map(([one, other]) => (bytes: Buffer) => {
    const [from, to] = [at(bytes, one), at(bytes, other)].sort((a, b) => a - b) as [number, number];
    return Buffer.concat([bytes.subarray(0, from), bytes.subarray(to)]);
  }),
  place.map((where) => (bytes: Buffer) => bytes.subarray(0, at(bytes, where))),
  place.map((where) => (bytes: Buffer) => bytes.subarray(at(bytes, where))),
  fc.tuple(place, place).map(([one, other]) => (bytes: Buffer) => {
    const [from, to] = [at(bytes, one), at(bytes, other)].sort((a, b) => a - b) as [number, number];
    return Buffer.concat([bytes.subarray(0, to), bytes.subarray(from)]);
  }),
  fc
    .tuple(
      place,
      fc.oneof(
        fc.constantFrom('\n', '\n\n', '\0', ' ', ';', '#', '"', ',', '0', '-', '\r', '\u00e9', '\ufeff'),
        fc.string({ maxLength: 20 }),
      ),
    )
    .map(([where, text]) => (bytes: Buffer) => {
      const index = at(bytes, where);
      return Buffer.concat([bytes.subarray(0, index), Buffer.from(text), bytes.subarray(index)]);
    }),
  // Two lines swapped; a line removed; a line doubled.
  fc.tuple(place, place, fc.constantFrom('swap', 'drop', 'double')).map(([one, other, what]) => (bytes: Buffer) => {
    const lines = bytes.toString('latin1').split('\n');
    const [a, b] = [Math.floor(one * lines.length), Math.floor(other * lines.length)];
    if (what === 'swap') [lines[a], lines[b]] = [lines[b] as string, lines[a] as string];
    else if (what === 'drop') lines.splice(a, 1);
    else lines.splice(b, 0, lines[a] as string);
    return Buffer.from(lines.join('\n'), 'latin1');
  }),
);

/** With one to three faults. */
export function damaged(bytes: Buffer): fc.Arbitrary<Buffer> {
  return fc
    .array(damages, { minLength: 1, maxLength: 3 })
    .map((list) => list.reduce((now, damage) => damage(now), bytes));
}
