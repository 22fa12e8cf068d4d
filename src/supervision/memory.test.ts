import { expect, it } from 'vitest';
import { memoryAllowsWorker } from './memory.ts';

it('memory allows another worker of a small size', async () => {
  expect(await memoryAllowsWorker(process.pid)).toBe(true);
});

it('memory allows another worker when the size of the current one cannot be read', async () => {
  expect(await memoryAllowsWorker(null)).toBe(true);
  expect(await memoryAllowsWorker(4_194_303)).toBe(true);
});
