import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Orders } from './orders.ts';
import type { ChaosStack } from './stack.ts';
import { Story } from './story.ts';

const MINUTE = 60_000;
let pausedUntil: number | null;
let orders: Orders;
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'] });
  pausedUntil = null;
  const call = async (method: string, path: string) => {
    const pauses = pausedUntil === null ? [] : [{ until: new Date(pausedUntil).toISOString() }];
    if (method === 'POST') return { status: 202, text: '', body: { id: 'c-a' } };
    if (path === '/api/acme') return { status: 200, text: '', body: { pauses, next: [] } };
    return {
      status: 200,
      text: 'open',
      body: { attempts: [{ state: 'finalizing' }], due_at: new Date().toISOString() },
    };
  };
  orders = new Orders({ service: { call }, authority: null, uploaded: null } as unknown as ChaosStack);
  await orders.begin(0, new Story());
});
afterEach(() => void vi.useRealTimers());

async function brokenAfter(ms: number): Promise<number> {
  vi.advanceTimersByTime(ms);
  const story = new Story();
  await orders.check(story, false);
  return story.wrong.length;
}

it('three orders are late after four minutes and some seconds', async () => {
  expect(await brokenAfter(4 * MINUTE)).toBe(0);
  expect(await brokenAfter(MINUTE)).toBe(3);
});

it('not while the service does not ask the authority, as it says, and not until four minutes later', async () => {
  pausedUntil = Date.now() + 8 * MINUTE;
  expect(await brokenAfter(6 * MINUTE)).toBe(0);
  pausedUntil = null;
  expect(await brokenAfter(6 * MINUTE)).toBe(0);
  expect(await brokenAfter(MINUTE)).toBe(3);
});

it('for half an hour at most, the longest pause of the service', async () => {
  pausedUntil = Date.now() + 600 * MINUTE;
  expect(await brokenAfter(1)).toBe(0);
  pausedUntil = null;
  expect(await brokenAfter(33 * MINUTE)).toBe(0);
  expect(await brokenAfter(2 * MINUTE)).toBe(3);
});
