// Real bytes, cut into pieces and damaged: what a parser may meet. For fast-check; a failure prints its seed.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import type { Transcript } from './record-transcripts.ts';

/** What each version said (`record-transcripts.ts`). */
export const transcripts: readonly (readonly [string, Transcript])[] = ['2.6', '3.0', '3.2', '3.4'].map((version) => {
  const path = join(import.meta.dirname, 'transcripts', `haproxy-${version}.json`);
  return [version, JSON.parse(readFileSync(path, 'utf8')) as Transcript] as const;
});

/** The same bytes in pieces: whole, byte by byte, and cut at random. */
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
  // One bit flipped.
  fc.tuple(place, fc.nat(7)).map(([where, bit]) => (bytes: Buffer) => {
    const copy = Buffer.from(bytes);
    const index = Math.min(at(bytes, where), copy.length - 1);
    if (index >= 0) copy[index] = (copy[index] as number) ^ (1 << bit);
    return copy;
  }),
  // Cut at either end, or a part left out.
  fc.tuple(place, place).map(([one, other]) => (bytes: Buffer) => {
    const [from, to] = [at(bytes, one), at(bytes, other)].sort((a, b) => a - b) as [number, number];
    return Buffer.concat([bytes.subarray(0, from), bytes.subarray(to)]);
  }),
  place.map((where) => (bytes: Buffer) => bytes.subarray(0, at(bytes, where))),
  place.map((where) => (bytes: Buffer) => bytes.subarray(at(bytes, where))),
  // A part twice.
  fc.tuple(place, place).map(([one, other]) => (bytes: Buffer) => {
    const [from, to] = [at(bytes, one), at(bytes, other)].sort((a, b) => a - b) as [number, number];
    return Buffer.concat([bytes.subarray(0, to), bytes.subarray(from)]);
  }),
  // Something in between: a byte that means something, or anything.
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
  // Two lines in each other's place; a line left out; a line twice.
  fc.tuple(place, place, fc.constantFrom('swap', 'drop', 'double')).map(([one, other, what]) => (bytes: Buffer) => {
    const lines = bytes.toString('latin1').split('\n');
    const [a, b] = [Math.floor(one * lines.length), Math.floor(other * lines.length)];
    if (what === 'swap') [lines[a], lines[b]] = [lines[b] as string, lines[a] as string];
    else if (what === 'drop') lines.splice(a, 1);
    else lines.splice(b, 0, lines[a] as string);
    return Buffer.from(lines.join('\n'), 'latin1');
  }),
);

/** The bytes with one to three faults in them. */
export function damaged(bytes: Buffer): fc.Arbitrary<Buffer> {
  return fc
    .array(damages, { minLength: 1, maxLength: 3 })
    .map((list) => list.reduce((now, damage) => damage(now), bytes));
}
