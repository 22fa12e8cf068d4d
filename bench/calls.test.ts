import { afterEach, describe, expect, it } from 'vitest';
import { PartProcess } from './calls.ts';
import type { LoadCalls } from './load-process.ts';

describe('a part in a process of its own', () => {
  let part: PartProcess<LoadCalls>;
  afterEach(() => part.stop());

  const nobody = { port: 1, key: 'k', first: 0, clients: 1, ms: 10 };

  it('answers, and says what went wrong', async () => {
    part = new PartProcess<LoadCalls>('load-process.ts');
    await expect(part.call('endPace')).rejects.toThrow('load-process.ts: Error: nothing is paced');
    await expect(part.call('rate', nobody)).rejects.toThrow('ECONNREFUSED');
  });

  it('fails what is under way and what comes later when it ends', async () => {
    part = new PartProcess<LoadCalls>('load-process.ts');
    const underWay = expect(part.call('rate', nobody)).rejects.toThrow('ended before its answer');
    await part.stop();
    await underWay;
    await expect(part.call('endPace')).rejects.toThrow('ended before its answer');
    await part.stop();
  });
});
