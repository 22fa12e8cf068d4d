import { expect, test } from 'vitest';
import { stopTime } from '../../testkit/stop-time.ts';
import { BodyPace } from './body-pace.ts';

const after = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** So many bytes each time, `ms` after they were asked for. */
const dribble = (ms: number, bytes = 1): AsyncIterator<Uint8Array> => ({
  next: () => after(ms).then(() => ({ done: false, value: new Uint8Array(bytes) })),
});

test('a body is not judged by the time that its reader takes for it', async () => {
  using time = stopTime();
  const pace = new BodyPace(200);
  const pieces = dribble(5);
  // Waited for: 150 ms. Its reader takes 2.4 s.
  for (let index = 0; index < 30; index += 1) {
    const piece = pace.next(pieces);
    await time.pass(5);
    expect((await piece).done).toBe(false);
    await time.pass(80);
  }
});

test('pieces that come in time, each, and are too little together are too slow', async () => {
  using time = stopTime();
  const pace = new BodyPace(50);
  const pieces = dribble(5);
  const all = (async () => {
    for (;;) await pace.next(pieces);
  })();
  const refused = expect(all).rejects.toMatchObject({ status: 408 });
  await time.pass(100);
  await refused;
});

test('a body that comes slowly, and fast enough, is taken however long it takes', async () => {
  using time = stopTime();
  const pace = new BodyPace(1_000);
  // 1,140 bytes in each window, of which 1,024 are asked for.
  const pieces = dribble(50, 60);
  for (let index = 0; index < 200; index += 1) {
    const piece = pace.next(pieces);
    await time.pass(50);
    expect((await piece).done).toBe(false);
  }
});

test('a moment in which the service stood still is not held against what had come meanwhile', async () => {
  using time = stopTime();
  const came = Promise.withResolvers<IteratorResult<Uint8Array>>();
  const piece = new BodyPace(50).next({ next: () => came.promise });
  // What had come is read before anything that is set when the timer is late.
  setImmediate(() => came.resolve({ done: false, value: new Uint8Array(1) }));
  time.standStill(100);
  expect((await piece).done).toBe(false);
});
