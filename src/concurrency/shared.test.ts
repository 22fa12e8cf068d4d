import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { shared } from './shared.ts';

test('callers that arrive during a run share the next run, never the current one', async () => {
  const begun: PromiseWithResolvers<string>[] = [];
  const ask = shared(() => {
    const one = Promise.withResolvers<string>();
    begun.push(one);
    return one.promise;
  });
  const first = [ask(), ask()];
  await setImmediate();
  expect(begun).toHaveLength(1);
  const others = [ask(), ask(), ask()];
  begun[0]!.reject(new Error('refused'));
  expect(await Promise.allSettled(first)).toMatchObject([{ status: 'rejected' }, { status: 'rejected' }]);
  await setImmediate();
  expect(begun).toHaveLength(2);
  begun[1]!.resolve('second');
  expect(await Promise.all(others)).toEqual(['second', 'second', 'second']);
});
