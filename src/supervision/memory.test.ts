import { expect, it } from 'vitest';
import { memoryAllowsWorker } from './memory.ts';

it('there is room for one worker more of a small one’s size', async () => {
  expect(await memoryAllowsWorker(process.pid)).toBe(true);
});

it('where nothing can be read the reload goes on: it is needed for sure, the memory only perhaps', async () => {
  expect(await memoryAllowsWorker(null)).toBe(true);
  expect(await memoryAllowsWorker(4_194_303)).toBe(true);
});
