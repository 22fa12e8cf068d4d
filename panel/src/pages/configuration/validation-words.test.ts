import { expect, it } from 'vitest';
import { validationWords } from './validation-words.ts';

it.each([
  [{ valid: true, warnings: [] }, 'green'],
  [{ valid: true, warnings: ['HAProxy: config : missing timeouts'] }, 'orange'],
  [{ valid: true, warnings: ['frontend other has no rule for the blocked map'] }, 'orange'],
  [{ valid: false, warnings: [] }, 'red'],
] as const)('shows %j as %s', (answer, color) => {
  expect(validationWords(answer).color).toBe(color);
});
