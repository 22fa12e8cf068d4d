import { expect, test } from 'vitest';
import { stopTime } from '../../testkit/stop-time.ts';
import { BodyPace } from './body-pace.ts';

const after = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Pieces of these sizes, each `ms` after its read. */
const dribble = (ms: number, bytes = 1): AsyncIterator<Uint8Array> => ({
  next: () => after(ms).then(() => ({ done: false, value: new Uint8Array(bytes) })),
});

test('the time of the reader does not count against a body', async () => {
  using time = stopTime();
  const pace = new BodyPace(200);
  const pieces = dribble(5);
  // The reader takes 2.4 s, of which the client causes 150 ms.
  for (let index = 0; index < 30; index += 1) {
    const piece = pace.next(pieces);
    await time.pass(5);
    expect((await piece).done).toBe(false);
    await time.pass(80);
  }
});

test('a body is too slow if its pieces are in time but too small', async () => {
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

test('a body that is slow but fast enough is accepted, however long it takes', async () => {
  using time = stopTime();
  const pace = new BodyPace(1_000);
  // 1,140 bytes in each window; 1,024 are required.
  const pieces = dribble(50, 60);
  for (let index = 0; index < 200; index += 1) {
    const piece = pace.next(pieces);
    await time.pass(50);
    expect((await piece).done).toBe(false);
  }
});

test('a blocked event loop does not count against data that arrived meanwhile', async () => {
  using time = stopTime();
  const came = Promise.withResolvers<IteratorResult<Uint8Array>>();
  const piece = new BodyPace(50).next({ next: () => came.promise });
  // Data that has arrived is read before the effects of a late timer.
  setImmediate(() => came.resolve({ done: false, value: new Uint8Array(1) }));
  time.standStill(100);
  expect((await piece).done).toBe(false);
});
