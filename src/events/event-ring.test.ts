import { describe, expect, it, vi } from 'vitest';
import { untilPasses } from '../../testkit/conditions.ts';
import { silentLog } from '../../testkit/silent-log.ts';
import { EventFeed } from './event-feed.ts';
import { EventRing } from './event-ring.ts';
import { eventTypes } from './event-types.ts';

const NOW = new Date('2026-11-20T12:00:00.000Z');
const ringOf = (options: { mostEvents?: number; mostCharacters?: number } = {}) =>
  new EventRing({ log: silentLog, now: () => NOW, boot: 'b001', ...options });
const gone = (ring: EventRing, ...pids: number[]) => {
  for (const pid of pids) ring.append('worker.gone', { pid });
};
const everything = { types: null, admin: true };
const pidsOf = (page: { events: readonly { text: string }[] }) =>
  page.events.map(({ text }) => JSON.parse(text).data.pid);

describe('the ring of events', () => {
  it('returns events after any position, in order, with an id that names the run', () => {
    const ring = ringOf();
    gone(ring, 1, 2, 3);
    expect(ring.after(0, 10).events.map(({ text }) => JSON.parse(text))).toEqual(
      [1, 2, 3].map((pid) => ({ id: `b001-${pid}`, type: 'worker.gone', at: NOW.toISOString(), data: { pid } })),
    );
    expect(pidsOf(ring.after(2, 10))).toEqual([3]);
    expect(pidsOf(ring.after(0, 2))).toEqual([1, 2]);
    expect(ring.after(3, 10)).toEqual({ events: [], missed: false });
  });

  it('keeps a limited number, and reports missed events of a position', () => {
    const ring = ringOf({ mostEvents: 3 });
    gone(ring, 1, 2, 3, 4, 5);
    expect(pidsOf(ring.after(2, 10))).toEqual([3, 4, 5]);
    expect(ring.after(2, 10).missed).toBe(false);
    expect(ring.after(1, 10).missed).toBe(true);
  });

  it('keeps a limited amount of text, but always the newest event', () => {
    const ring = ringOf({ mostCharacters: 1_000 });
    const reason = 'x'.repeat(300);
    for (let n = 0; n < 5; n += 1) ring.append('health.changed', { status: 'degraded', was: 'ok', reasons: [reason] });
    expect(ring.after(3, 10)).toMatchObject({ events: [{ seq: 4 }, { seq: 5 }], missed: false });
    expect(ring.after(1, 10).missed).toBe(true);
    ring.append('health.changed', { status: 'degraded', was: 'ok', reasons: ['x'.repeat(5_000)] });
    expect(ring.after(5, 10).events).toHaveLength(1);
  });

  it('truncates very long texts', () => {
    const ring = ringOf();
    ring.append('reload.failed', { id: 'r', status: 'refused', error: 'x'.repeat(100_000) });
    ring.append('health.changed', {
      status: 'degraded',
      was: null,
      reasons: new Array<string>(5_000).fill('y'.repeat(50)),
    });
    for (const { text } of ring.after(0, 10).events) expect(text.length).toBeLessThan(25_000);
  });

  it('accepts only ids that this run has issued', () => {
    const ring = ringOf();
    gone(ring, 1, 2);
    expect(['b001-0', 'b001-2', 'b001-3', 'b002-1', 'b001', 'b001-x', ''].map((id) => ring.positionOf(id))).toEqual([
      0,
      2,
      null,
      null,
      null,
      null,
      null,
    ]);
    expect(new EventRing({ log: silentLog, now: () => NOW }).boot).toMatch(/^[0-9a-f]{12}$/);
  });

  it('calls its listeners once for a batch of events, never during the emit, and survives one that fails', async () => {
    const errors: string[] = [];
    const log = { ...silentLog, error: (message: string) => void errors.push(message) };
    const ring = new EventRing({ log, now: () => NOW });
    const wake = vi.fn();
    ring.onAppended(() => {
      throw new Error('a listener');
    });
    const end = ring.onAppended(wake);
    gone(ring, 1, 2, 3);
    expect(wake).not.toHaveBeenCalled();
    await untilPasses(() => expect(wake).toHaveBeenCalledTimes(1));
    expect(errors).toEqual(['A listener of events failed']);
    end();
    gone(ring, 4);
    await new Promise((resolve) => setImmediate(resolve));
    expect(wake).toHaveBeenCalledTimes(1);
  });
});

describe('the feed of a reader', () => {
  it('hides keys and HAProxy’s messages about a configuration from non-administrators', () => {
    const ring = ringOf();
    ring.append('key.created', { name: 'ci', scopes: ['read'], expires_at: null, by: 'admin' });
    ring.append('key.revoked', { name: 'ci', by: 'admin' });
    ring.append('reload.started', { id: 'r1', reasons: ['requested by the-admin'] });
    ring.append('reload.failed', { id: 'r1', status: 'refused', error: 'userlist: password secret' });
    const feed = new EventFeed(ring);
    const seen = feed.read(0, { types: null, admin: false });
    expect(seen.events.map(({ text }) => JSON.parse(text))).toMatchObject([
      { id: 'b001-3', type: 'reload.started', data: { id: 'r1' } },
      { id: 'b001-4', type: 'reload.failed', data: { id: 'r1', status: 'refused' } },
    ]);
    expect(JSON.stringify(seen)).not.toMatch(/secret|the-admin|ci/);
    expect(seen.position).toBe(4);
    expect(feed.read(0, everything).events.map(({ type }) => type)).toEqual([
      'key.created',
      'key.revoked',
      'reload.started',
      'reload.failed',
    ]);
  });

  it('omits other types, and advances past them', () => {
    const ring = ringOf();
    gone(ring, 1, 2);
    ring.append('service.stopping', {});
    const feed = new EventFeed(ring);
    const page = feed.read(0, { types: new Set(['service.stopping']), admin: true });
    expect(page).toMatchObject({ events: [{ id: 'b001-3', type: 'service.stopping' }], position: 3, missed: false });
    expect(feed.read(0, { types: new Set(['entry.blocked']), admin: true })).toMatchObject({ events: [], position: 3 });
  });

  it('moves a reader that missed events to the newest one', () => {
    const ring = ringOf({ mostEvents: 2 });
    gone(ring, 1, 2, 3, 4);
    const feed = new EventFeed(ring);
    expect(feed.read(1, everything)).toEqual({ events: [], position: 4, missed: true });
    expect([feed.positionOf('b001-1'), feed.positionOf('b001-2'), feed.positionOf('b000-2')]).toEqual([null, 2, null]);
  });

  it('returns many events in pages', () => {
    const ring = ringOf();
    for (let n = 0; n < 500; n += 1)
      ring.append('health.changed', { status: 'degraded', was: 'ok', reasons: ['x'.repeat(1_000)] });
    const feed = new EventFeed(ring);
    const page = feed.read(0, everything);
    expect(page.events.length).toBeLessThan(70);
    let position = 0;
    let count = 0;
    for (let read = feed.read(position, everything); read.events.length > 0; read = feed.read(position, everything)) {
      count += read.events.length;
      ({ position } = read);
    }
    expect(count).toBe(500);
  });

  it('knows every type that can be emitted', () => {
    const feed = new EventFeed(ringOf());
    expect(feed.types()).toEqual(eventTypes);
    expect(new Set(feed.types()).size).toBe(feed.types().length);
  });
});
