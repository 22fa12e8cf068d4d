import { expect, it } from 'vitest';
import { validationWords } from './validation-words.ts';

it.each([
  [{ valid: true, output: 'Configuration file is valid' }, 'green'],
  [{ valid: true, output: '[WARNING]  (12) : config : missing timeouts' }, 'orange'],
  [{ valid: false, output: '[ALERT] (12) : unknown keyword' }, 'red'],
] as const)('shows %j as %s', (answer, color) => {
  expect(validationWords(answer).color).toBe(color);
});
