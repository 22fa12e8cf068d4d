import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Balance } from './balance.ts';

const sumOf = (readings: readonly (readonly [counted: number, attributed: number])[]) => {
  const balance = new Balance();
  const sum = { denied: 0, notAttributed: 0 };
  for (const [counted, attributed] of readings) {
    const { denied, notAttributed } = balance.add(counted, attributed);
    sum.denied += denied;
    sum.notAttributed += notAttributed;
  }
  return sum;
};
const quiet = Array.from({ length: 6 }, () => [0, 0] as const);

describe('the balance of denied requests', () => {
  it('has what no table explains after a minute', () => {
    expect(sumOf([[10, 4], ...quiet.slice(1)])).toEqual({ denied: 10, notAttributed: 6 });
    expect(sumOf([[10, 4], ...quiet.slice(2)])).toEqual({ denied: 4, notAttributed: 0 });
  });

  it('trusts the tables where the count of a worker is lost', () => {
    expect(sumOf([[0, 7], ...quiet, [5, 5], ...quiet])).toEqual({ denied: 12, notAttributed: 0 });
  });

  it('is not moved by tables that are read later than the count, by ever other times', () => {
    const tenths = fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 60, maxLength: 60 });
    fc.assert(
      fc.property(tenths, (late) => {
        // 400 requests a second; the tables show those of some tenths of a second more.
        const readings = late.map((now, index) => [4_000, 4_000 + 40 * (now - (late[index - 1] ?? 0))] as const);
        const { denied, notAttributed } = sumOf([...readings, [0, -40 * late.at(-1)!], ...quiet]);
        expect(notAttributed).toBeLessThan(240_000 * 0.002);
        expect(Math.abs(denied - 240_000)).toBeLessThan(240_000 * 0.002);
      }),
    );
  });

  it('adds up: attributed, not attributed and open are what HAProxy denied', () => {
    const readings = fc.array(fc.tuple(fc.nat(100), fc.nat(100)), { maxLength: 50 });
    fc.assert(
      fc.property(readings, (pairs) => {
        const balance = new Balance();
        let [counted, attributed, skew, denied, not] = [0, 0, 0, 0, 0];
        for (const [requests, late] of pairs) {
          // The table lags behind by at most what came since.
          const seen = requests + skew - Math.min(late, requests + skew);
          skew = requests + skew - seen;
          counted += requests;
          attributed += seen;
          const added = balance.add(requests, seen);
          denied += added.denied;
          not += added.notAttributed;
        }
        expect(denied).toBe(attributed + not);
        expect(attributed + not + balance.open).toBeGreaterThanOrEqual(counted);
      }),
    );
  });
});
