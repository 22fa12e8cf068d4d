import { describe, expect, it } from 'vitest';
import { readAhead } from './map-replacement.ts';

describe('pages read ahead', () => {
  it('are unchanged, each requested while the one before is processed', async () => {
    const steps: string[] = [];
    async function* pages(): AsyncGenerator<number> {
      for (let page = 1; page <= 3; page += 1) {
        steps.push(`read ${page}`);
        yield page;
      }
    }
    for await (const page of readAhead(pages())) {
      await new Promise(setImmediate);
      steps.push(`done ${page}`);
    }
    expect(steps).toEqual(['read 1', 'read 2', 'done 1', 'read 3', 'done 2', 'done 3']);
  });

  it('end with a read error after the pages before it', async () => {
    async function* pages(): AsyncGenerator<number> {
      yield 1;
      yield 2;
      throw new Error('the disk is gone');
    }
    const seen: number[] = [];
    const all = async (): Promise<void> => {
      for await (const page of readAhead(pages())) {
        await new Promise(setImmediate);
        seen.push(page);
      }
    };
    await expect(all()).rejects.toThrow('the disk is gone');
    expect(seen).toEqual([1, 2]);
  });

  it('are closed by a consumer that stops early, ignoring the error of the next page', async () => {
    let closed = false;
    async function* pages(): AsyncGenerator<number> {
      try {
        yield 1;
        throw new Error('never asked for');
      } finally {
        closed = true;
      }
    }
    for await (const page of readAhead(pages())) {
      expect(page).toBe(1);
      break;
    }
    expect(closed).toBe(true);
  });
});
