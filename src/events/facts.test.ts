import { expect, it } from 'vitest';
import type { Log } from '../telemetry/log.ts';
import { FactBus } from './facts.ts';

it('logs a listener that throws, and neither fails nor withholds the fact from the others', () => {
  const logged: unknown[] = [];
  const log: Log = {
    info: () => undefined,
    warn: () => undefined,
    error: (message, fields) => logged.push({ message, ...fields }),
  };
  const facts = new FactBus(log);
  const seen: string[] = [];
  facts.listen(({ type }) => seen.push(`first ${type}`));
  facts.listen(() => {
    throw new Error('no room');
  });
  facts.listen(({ type }) => seen.push(`last ${type}`));
  facts.emit('worker.gone', { pid: 1 });
  expect(seen).toEqual(['first worker.gone', 'last worker.gone']);
  expect(logged).toEqual([{ message: 'A listener of facts failed', type: 'worker.gone', cause: 'no room' }]);
});
