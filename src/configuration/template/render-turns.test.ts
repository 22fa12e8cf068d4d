import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { codes } from '../../errors/catalogue.ts';
import { RenderTurns } from './render-turns.ts';

function held() {
  const begun: PromiseWithResolvers<string>[] = [];
  const work = (): Promise<string> => {
    const one = Promise.withResolvers<string>();
    begun.push(one);
    return one.promise;
  };
  return { begun, work };
}

test('renders run one at a time, in order, also after a failure', async () => {
  const turns = new RenderTurns();
  const { begun, work } = held();
  const all = Promise.allSettled([turns.take(work), turns.take(work), turns.take(work)]);
  await setImmediate();
  expect(begun).toHaveLength(1);
  begun[0]!.reject(new Error('refused'));
  await setImmediate();
  // A render requested during the hand-over is behind those already waiting.
  const late = turns.take(work);
  expect(begun).toHaveLength(2);
  begun[1]!.resolve('second');
  await setImmediate();
  begun[2]!.resolve('third');
  await setImmediate();
  begun[3]!.resolve('fourth');
  expect(await all).toMatchObject([{ status: 'rejected' }, { value: 'second' }, { value: 'third' }]);
  expect(await late).toBe('fourth');
  expect(begun).toHaveLength(4);
});

test('a stop rejects waiting renders, but not the running one', async () => {
  const turns = new RenderTurns();
  const { begun, work } = held();
  const first = turns.take(work);
  const second = turns.take(work);
  turns.stop();
  await expect(second).rejects.toMatchObject({ code: codes.ShuttingDown });
  await expect(turns.take(work)).rejects.toMatchObject({ code: codes.ShuttingDown });
  begun[0]!.resolve('first');
  expect(await first).toBe('first');
  expect(begun).toHaveLength(1);
});
