import { describe, expect, it } from 'vitest';
import { within } from '../../../testkit/conditions.ts';
import { type Place, Places } from './master-socket-places.ts';

describe('the places on the master', () => {
  const now = () => within(-1);

  it('keep one for a reload, and leave the others what they had while a reload holds it', async () => {
    const places = new Places(4);
    const reload = await places.take(now(), 'reload');
    const changes: (Place | null)[] = [];
    for (let nth = 0; nth < 4; nth += 1) changes.push(await places.take(now(), 'change'));
    expect(changes.map((place) => place !== null)).toEqual([true, true, true, false]);
    expect(places.taken).toBe(4);
    reload?.release();
    // The place that is free again is the reload's.
    expect(await places.take(now(), 'change')).toBeNull();
    expect(await places.take(now(), 'reload')).not.toBeNull();
  });

  it('are never more than there are, however many reloads ask', async () => {
    const places = new Places(2);
    const first = await places.take(now(), 'reload');
    await places.take(now(), 'reload');
    expect(await places.take(now(), 'change')).toBeNull();
    first?.release();
    first?.release();
    expect(places.taken).toBe(1);
    expect(await places.take(now(), 'change')).not.toBeNull();
  });
});
