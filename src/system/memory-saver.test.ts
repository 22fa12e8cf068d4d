import { describe, expect, it } from 'vitest';
import { MemorySaver } from './memory-saver.ts';

function process() {
  const saved: boolean[] = [];
  let load = 0;
  const saver = new MemorySaver({ busy: () => load, save: (on) => saved.push(on) });
  const seconds = (count: number, share: number): void => {
    load = share;
    for (let n = 0; n < count; n += 1) saver.check();
  };
  return { saver, saved, seconds };
}

describe('V8', () => {
  it('saves time from the start, and memory after five seconds below 40 %', () => {
    const { saver, saved, seconds } = process();
    saver.start();
    saver.stop();
    expect(saved).toEqual([false]);
    seconds(4, 0.39);
    expect(saved).toEqual([false]);
    seconds(30, 0.39);
    expect(saved).toEqual([false, true]);
  });

  it('saves time from the first busy second', () => {
    const { saved, seconds } = process();
    seconds(5, 0);
    seconds(20, 0.4);
    expect(saved).toEqual([true, false]);
  });

  it('still saves time while a change waits for HAProxy now and then', () => {
    const { saved, seconds } = process();
    seconds(5, 0);
    for (let n = 0; n < 5; n += 1) {
      seconds(1, 1);
      seconds(4, 0);
    }
    expect(saved).toEqual([true, false]);
    seconds(1, 0);
    expect(saved).toEqual([true, false, true]);
  });

  it('saves time again after a second start', () => {
    const { saver, saved, seconds } = process();
    seconds(5, 0);
    saver.start();
    saver.stop();
    seconds(5, 0);
    expect(saved).toEqual([true, false, true]);
  });
});
