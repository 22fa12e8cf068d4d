import { expect, it } from 'vitest';
import { estimateText } from './sample-words.ts';

it.each([
  [16, 8],
  [64, 16],
])('names the error of a sample of 1 in %i requests', (oneIn, error) => {
  expect(estimateText(oneIn)).toBe(
    `Estimated from 1 in ${oneIn} requests: ±\u00a0${error}\u00a0% at 10,000 requests (95\u00a0%), more at fewer.`,
  );
});
