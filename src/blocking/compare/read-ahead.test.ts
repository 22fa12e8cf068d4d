import { describe, expect, it } from 'vitest';
import { readAhead } from './map-replacement.ts';

describe('pages read ahead', () => {
  it('come as they are, each asked for while the one before is worked on', async () => {
    const told: string[] = [];
    async function* pages(): AsyncGenerator<number> {
      for (let page = 1; page <= 3; page += 1) {
        told.push(`read ${page}`);
        yield page;
      }
    }
    for await (const page of readAhead(pages())) {
      await new Promise(setImmediate);
      told.push(`done ${page}`);
    }
    expect(told).toEqual(['read 1', 'read 2', 'done 1', 'read 3', 'done 2', 'done 3']);
  });

  it('end with the error of the page that could not be read, after those before it', async () => {
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

  it('are closed by a consumer that needs no more, and the failure of the next page is ignored', async () => {
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
