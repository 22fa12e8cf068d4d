import fc from 'fast-check';
import { expect, it } from 'vitest';
import { seedFrom, testSeed } from './seed.ts';

it('takes the seed from the variable, and a fixed one without it', () => {
  expect(['17', '0', '2147483647'].map(seedFrom)).toEqual([17, 0, 2147483647]);
  expect(seedFrom('')).toBe(seedFrom(undefined));
});

it('refuses a seed that is not a whole number in range', () => {
  for (const value of ['-1', '1.5', '4x', ' 4', '2147483648', 'Infinity']) {
    expect(() => seedFrom(value)).toThrow(/^PROXY_MANAGER_TEST_SEED is .*whole number from 0 to 2147483647$/);
  }
});

it('gives property tests the seed of the run, and a failing property prints how to replay it', () => {
  const failing = () => fc.assert(fc.property(fc.integer(), (value) => value < 1000));
  const printed = /\{ seed: (\d+), path: "([\d:]+)", endOnFailure: true \}\nCounterexample: (.*)\n/;
  expect(failing).toThrow(printed);
  const [, seed, path, counterexample] = printed.exec(String(thrownBy(failing)))!;
  expect(Number(seed)).toBe(testSeed);
  const replayed = fc.check(
    fc.property(fc.integer(), (value) => value < 1000),
    { seed: Number(seed), path: path!, endOnFailure: true },
  );
  expect(JSON.stringify(replayed.counterexample)).toBe(counterexample);
});

function thrownBy(act: () => void): unknown {
  try {
    act();
  } catch (error) {
    return error;
  }
  return undefined;
}
