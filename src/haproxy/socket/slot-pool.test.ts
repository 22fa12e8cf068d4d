import { describe, expect, it } from 'vitest';
import { within } from '../../../testkit/conditions.ts';
import { type Slot, SlotPool } from './slot-pool.ts';

describe('the slots of the master socket', () => {
  const now = () => within(-1);

  it('one slot is reserved for a reload, and the others stay available while it is in use', async () => {
    const slots = new SlotPool(4);
    const reload = await slots.take(now(), 'reload');
    const changes: (Slot | null)[] = [];
    for (let nth = 0; nth < 4; nth += 1) changes.push(await slots.take(now(), 'change'));
    expect(changes.map((slot) => slot !== null)).toEqual([true, true, true, false]);
    expect(slots.taken).toBe(4);
    reload?.release();
    // The slot that became free is the reload's.
    expect(await slots.take(now(), 'change')).toBeNull();
    expect(await slots.take(now(), 'reload')).not.toBeNull();
  });

  it('reloads never exceed the number of slots', async () => {
    const slots = new SlotPool(2);
    const first = await slots.take(now(), 'reload');
    await slots.take(now(), 'reload');
    expect(await slots.take(now(), 'change')).toBeNull();
    first?.release();
    first?.release();
    expect(slots.taken).toBe(1);
    expect(await slots.take(now(), 'change')).not.toBeNull();
  });
});
