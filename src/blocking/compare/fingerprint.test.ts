import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bucketCount, bucketOf, Fingerprint } from './fingerprint.ts';

const of = (entries: readonly (readonly [key: string, value: string])[]): Fingerprint => {
  const print = new Fingerprint();
  for (const [key, value] of entries) print.add(key, value);
  return print;
};
const good = (texts: readonly string[]): Fingerprint => of(texts.map((text) => [text, '1']));
const ips = fc.uniqueArray(fc.ipV4(), { minLength: 2, maxLength: 40 });
const runs = { numRuns: 20 };

describe('the fingerprint of a map', () => {
  it('is independent of the order of entries', () => {
    fc.assert(
      fc.property(
        ips.chain((texts) => fc.tuple(fc.constant(texts), fc.shuffledSubarray(texts, { minLength: texts.length }))),
        ([texts, shuffled]) => {
          expect(good(texts).equals(good(shuffled))).toBe(true);
        },
      ),
      runs,
    );
  });

  it('is the same whether an entry was removed or never added', () => {
    fc.assert(
      fc.property(ips, ([first = '', ...rest]) => {
        const print = good(rest);
        print.add(first);
        expect(print.equals(good(rest))).toBe(false);
        print.remove(first);
        expect(print.equals(good(rest))).toBe(true);
        expect(print.total).toBe(rest.length);
      }),
      runs,
    );
  });

  it.each([
    ['lost', (texts: string[]) => texts.slice(1).map((text) => [text, '1'] as const)],
    ['twice', (texts: string[]) => [texts[0]!, ...texts].map((text) => [text, '1'] as const)],
    ['of value 0', (texts: string[]) => texts.map((text, index) => [text, index === 0 ? '0' : '1'] as const)],
    ['without a value', (texts: string[]) => texts.map((text, index) => [text, index === 0 ? '' : '1'] as const)],
    ['swapped for another', (texts: string[]) => ['198.51.100.77/32', ...texts.slice(1)].map((t) => [t, '1'] as const)],
    [
      'lost, and another one there twice',
      (texts: string[]) => [texts[1]!, ...texts.slice(1)].map((t) => [t, '1'] as const),
    ],
  ])('differs when one entry is %s', (_what, spoil) => {
    fc.assert(
      fc.property(ips, (texts) => {
        const spoilt = of(spoil([...texts]));
        expect(spoilt.equals(good(texts))).toBe(false);
        expect(spoilt.differingBuckets(good(texts)).length).toBeGreaterThan(0);
      }),
      runs,
    );
  });

  it('names the bucket of a missing entry, and skips excepted buckets', () => {
    const texts = Array.from({ length: 500 }, (_, n) => `10.1.${n >> 8}.${n & 255}`);
    const seen = good(texts.slice(1));
    const bucket = bucketOf(texts[0]!);
    expect(seen.differingBuckets(good(texts))).toEqual([bucket]);
    const tainted = new Uint8Array(bucketCount);
    tainted[bucket] = 1;
    expect(seen.differingBuckets(good(texts), tainted)).toEqual([]);
  });

  it('keeps an entry in the bucket of its key, whatever its value', () => {
    const before = of([['10.0.0.0/8', '1']]);
    for (const value of ['0', '2', '21', '']) {
      expect(of([['10.0.0.0/8', value]]).differingBuckets(before)).toEqual([bucketOf('10.0.0.0/8')]);
    }
    before.remove('10.0.0.0/8', '1');
    before.add('10.0.0.0/8', '21');
    expect(before.equals(of([['10.0.0.0/8', '21']]))).toBe(true);
    expect(before.equals(of([['10.0.0.0/8', '20']]))).toBe(false);
  });

  it('spreads neighbouring addresses over its buckets', () => {
    const used = new Set(Array.from({ length: 65_536 }, (_, n) => bucketOf(`10.2.${n >> 8}.${n & 255}`)));
    // 1 - 1/e of the buckets are expected to be used.
    expect(used.size).toBeGreaterThan(0.6 * bucketCount);
  });
});
