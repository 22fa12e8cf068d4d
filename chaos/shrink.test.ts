import fc from 'fast-check';
import { expect, it } from 'vitest';
import { shrink } from './shrink.ts';

const numbers = (count: number): number[] => Array.from({ length: count }, (_, n) => n);

it('a failure caused by a few steps shrinks to exactly these', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc
        .integer({ min: 1, max: 60 })
        .chain((count) =>
          fc.tuple(
            fc.constant(count),
            fc.uniqueArray(fc.integer({ min: 0, max: count - 1 }), { minLength: 1, maxLength: 4 }),
          ),
        ),
      async ([count, guilty]) => {
        const shrunk = await shrink(
          numbers(count),
          async (steps) => guilty.every((step) => steps.includes(step)),
          Number.POSITIVE_INFINITY,
        );
        expect(shrunk.steps).toEqual([...guilty].sort((a, b) => a - b));
        expect(shrunk.minimal).toBe(true);
      },
    ),
  );
});

it('keeps the order, and stays within the limit of tries', async () => {
  let asked = 0;
  const shrunk = await shrink(
    numbers(40),
    async (steps) => {
      asked += 1;
      return steps.includes(3) && steps.includes(37);
    },
    5,
  );
  expect(asked).toBe(5);
  expect(shrunk).toMatchObject({ tries: 5, minimal: false });
  expect(shrunk.steps).toEqual([...shrunk.steps].sort((a, b) => a - b));
  expect(shrunk.steps).toEqual(expect.arrayContaining([3, 37]));
});

it('a failure without any step shrinks to nothing', async () => {
  expect((await shrink(numbers(5), async () => true, 100)).steps).toEqual([]);
});
