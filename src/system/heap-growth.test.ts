import { describe, expect, it } from 'vitest';
import { HeapGrowth } from './heap-growth.ts';

function process() {
  const limits: number[] = [];
  let load = 0;
  const growth = new HeapGrowth({ busy: () => load, grow: (percent) => limits.push(percent) });
  const seconds = (count: number, share: number): void => {
    load = share;
    for (let n = 0; n < count; n += 1) growth.check();
  };
  return { growth, limits, seconds };
}

describe('how far the heap may grow', () => {
  it('is 100 % from the start, and 10 % after five seconds below 70 %', () => {
    const { growth, limits, seconds } = process();
    growth.start();
    growth.stop();
    expect(limits).toEqual([100]);
    seconds(4, 0.69);
    expect(limits).toEqual([100]);
    seconds(30, 0.69);
    expect(limits).toEqual([100, 10]);
  });

  it('is 100 % from the first busy second', () => {
    const { limits, seconds } = process();
    seconds(5, 0);
    seconds(20, 0.7);
    expect(limits).toEqual([10, 100]);
  });

  it('stays 100 % while a change waits for HAProxy now and then', () => {
    const { limits, seconds } = process();
    seconds(5, 0);
    for (let n = 0; n < 5; n += 1) {
      seconds(1, 1);
      seconds(4, 0);
    }
    expect(limits).toEqual([10, 100]);
    seconds(1, 0);
    expect(limits).toEqual([10, 100, 10]);
  });

  it('is 100 % again after a second start', () => {
    const { growth, limits, seconds } = process();
    seconds(5, 0);
    growth.start();
    growth.stop();
    seconds(5, 0);
    expect(limits).toEqual([10, 100, 10]);
  });
});
