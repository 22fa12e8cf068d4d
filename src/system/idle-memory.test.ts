import { describe, expect, it } from 'vitest';
import { IdleMemory } from './idle-memory.ts';

const megabytes = 1024 * 1024;

function process(heap: number) {
  const memory = {
    heap: heap * megabytes,
    load: 0,
    collected: 0,
    heapTotal: () => memory.heap,
    busy: () => memory.load,
    collect: () => {
      memory.collected += 1;
      memory.heap = 30 * megabytes;
    },
  };
  return memory;
}

describe('memory of an idle service', () => {
  it('memory is returned once after two idle checks', () => {
    const memory = process(150);
    const idle = new IdleMemory(memory);
    idle.check();
    expect(memory.collected).toBe(0);
    for (let n = 0; n < 5; n += 1) idle.check();
    expect(memory.collected).toBe(1);
  });

  it('memory is not collected while busy, nor during a pause between two requests', () => {
    const memory = process(150);
    const idle = new IdleMemory(memory);
    for (const load of [0.9, 0, 0.2, 0, 1]) {
      memory.load = load;
      idle.check();
    }
    expect(memory.collected).toBe(0);
  });

  it('memory is not collected for a small growth, but after the next bulk change', () => {
    const memory = process(150);
    const idle = new IdleMemory(memory);
    for (let n = 0; n < 2; n += 1) idle.check();
    memory.heap = 55 * megabytes;
    for (let n = 0; n < 3; n += 1) idle.check();
    expect(memory.collected).toBe(1);
    memory.heap = 150 * megabytes;
    idle.check();
    expect(memory.collected).toBe(2);
  });

  it('memory is collected again after a bulk change, if it was when that still had its data', () => {
    const memory = process(150);
    const idle = new IdleMemory(memory);
    const live = [30, 300, 30];
    memory.collect = () => {
      memory.heap = live[memory.collected]! * megabytes;
      memory.collected += 1;
    };
    const check = (load: number) => {
      memory.load = load;
      idle.check();
      return memory.collected;
    };
    expect([0, 0].map(check)).toEqual([0, 1]);
    memory.heap = 310 * megabytes;
    expect([0.5, 0, 0].map(check)).toEqual([1, 1, 2]);
    // Fewer than the last collection left.
    memory.heap = 250 * megabytes;
    expect([0.4, 0, 0].map(check)).toEqual([2, 2, 2]);
    expect([0.5, 0, 0, 0].map(check)).toEqual([2, 2, 3, 3]);
    // After a busy time in which it did not grow.
    expect([0.5, 0, 0].map(check)).toEqual([3, 3, 3]);
  });

  it('memory is not collected where V8 offers no collector', () => {
    const idle = new IdleMemory(null);
    idle.start();
    idle.check();
    idle.stop();
  });
});
