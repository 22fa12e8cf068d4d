import { expect, test } from 'vitest';
import { BatchRoom } from './batch-room.ts';

const MIB = 1024 * 1024;

test('one key may have one batch of the maximum size in memory, and another key a second one', () => {
  const room = new BatchRoom();
  const first = room.share('panel');
  first.take(100_000, 16 * MIB);
  expect(() => room.share('panel').take(100_000, 16 * MIB)).toThrow(/the key panel already has too many large batches/);
  const other = room.share('fail2ban');
  other.take(100_000, 16 * MIB);
  expect(() => room.share('third').take(100_000, 16 * MIB)).toThrow(/^too many large batches are already in progress/);
  first.release();
  room.share('panel').take(100_000, 16 * MIB);
});

test('the batches of one key count together, and release all of their memory', () => {
  const room = new BatchRoom(1_000_000);
  const shares = Array.from({ length: 5 }, () => room.share('panel'));
  for (const share of shares) share.take(0, 50_000);
  expect(() => room.share('panel').take(0, 1)).toThrow(/the key panel already has too many large batches/);
  for (const share of shares) {
    share.release();
    share.release();
  }
  expect(room.taken).toBe(0);
  room.share('panel').take(0, 250_000);
});
