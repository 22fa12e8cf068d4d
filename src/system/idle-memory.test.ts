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
  it('is given back after two looks with nothing to do, and once', () => {
    const memory = process(150);
    const idle = new IdleMemory(memory);
    idle.look();
    expect(memory.collected).toBe(0);
    for (let n = 0; n < 5; n += 1) idle.look();
    expect(memory.collected).toBe(1);
  });

  it('is left alone while there is work, and for a pause between two requests', () => {
    const memory = process(150);
    const idle = new IdleMemory(memory);
    for (const load of [0.9, 0, 0.2, 0, 1]) {
      memory.load = load;
      idle.look();
    }
    expect(memory.collected).toBe(0);
  });

  it('is left alone for little, and given back again after the next big change', () => {
    const memory = process(150);
    const idle = new IdleMemory(memory);
    for (let n = 0; n < 2; n += 1) idle.look();
    memory.heap = 55 * megabytes;
    for (let n = 0; n < 3; n += 1) idle.look();
    expect(memory.collected).toBe(1);
    memory.heap = 150 * megabytes;
    idle.look();
    expect(memory.collected).toBe(2);
  });

  it('stays as it is where nobody can collect', () => {
    const idle = new IdleMemory(null);
    idle.start();
    idle.look();
    idle.stop();
  });
});
