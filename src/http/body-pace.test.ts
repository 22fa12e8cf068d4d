import { closeSync, openSync, read } from 'node:fs';
import { expect, test } from 'vitest';
import { BodyPace } from './body-pace.ts';

const after = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** A byte each time, `ms` after it was asked for. */
const dribble = (ms: number): AsyncIterator<Uint8Array> => ({
  next: () => after(ms).then(() => ({ done: false, value: new Uint8Array(1) })),
});

test('a body is not judged by the time that its reader takes for it', async () => {
  const pace = new BodyPace(200);
  const pieces = dribble(5);
  for (let index = 0; index < 4; index += 1) {
    await pace.next(pieces);
    await after(80);
  }
});

test('pieces that come in time, each, and are too little together are too slow', async () => {
  const pace = new BodyPace(50);
  const pieces = dribble(5);
  const all = async () => {
    for (;;) await pace.next(pieces);
  };
  await expect(all()).rejects.toMatchObject({ status: 408 });
});

test('a moment in which the service stood still is not held against what had come meanwhile', async () => {
  const file = openSync('/dev/zero', 'r');
  const pieces: AsyncIterator<Uint8Array> = {
    next: () =>
      new Promise((resolve, reject) => {
        const value = new Uint8Array(1);
        read(file, value, 0, 1, null, (error) => (error === null ? resolve({ done: false, value }) : reject(error)));
      }),
  };
  const piece = new BodyPace(50).next(pieces);
  const begun = performance.now();
  while (performance.now() - begun < 100);
  expect((await piece).done).toBe(false);
  closeSync(file);
});
