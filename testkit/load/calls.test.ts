import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { LoadCalls } from '../../bench/load-process.ts';
import { PartProcess } from './calls.ts';

const program = join(import.meta.dirname, '../../bench/load-process.ts');

describe('a part in a process of its own', () => {
  let part: PartProcess<LoadCalls>;
  afterEach(() => part.stop());

  const unreachable = { port: 1, key: 'k', first: 0, clients: 1, ms: 10 };

  it('returns results and errors', async () => {
    part = new PartProcess<LoadCalls>(program);
    await expect(part.call('endPace')).rejects.toThrow('load-process.ts: Error: nothing is paced');
    await expect(part.call('rate', unreachable)).rejects.toThrow('ECONNREFUSED');
  });

  it('fails calls under way and later ones when it ends', async () => {
    part = new PartProcess<LoadCalls>(program);
    const underWay = expect(part.call('rate', unreachable)).rejects.toThrow('ended before its answer');
    await part.stop();
    await underWay;
    await expect(part.call('endPace')).rejects.toThrow('ended before its answer');
    await part.stop();
  });
});
