import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stopTime } from '../../testkit/stop-time.ts';
import { type Lane, TurnQueue, WaitedTurns } from './turn-queue.ts';

const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('the queue of turns', () => {
  it('runs one work at a time, also after a failure, and returns to each caller its own outcome', async () => {
    const work = fc.record({ lane: fc.constantFrom<Lane>('urgent', 'bulk'), fails: fc.boolean(), ticks: fc.nat(3) });
    await fc.assert(
      fc.asyncProperty(fc.array(work, { maxLength: 20 }), async (works) => {
        const queue = new TurnQueue();
        let inside = 0;
        const outcomes = await Promise.allSettled(
          works.map(({ lane, fails, ticks }, index) =>
            queue.take(lane, async () => {
              inside += 1;
              expect(inside).toBe(1);
              for (let n = 0; n < ticks; n += 1) await tick();
              inside -= 1;
              if (fails) throw new Error(`failure ${index}`);
              return index;
            }),
          ),
        );
        for (const [index, outcome] of outcomes.entries()) {
          if (works[index]!.fails) expect(outcome).toMatchObject({ reason: { message: `failure ${index}` } });
          else expect(outcome).toMatchObject({ value: index });
        }
        expect(queue.waiting).toBe(0);
      }),
      { numRuns: 40 },
    );
  });

  it('while work that a turn left is running, only the same owner gets a turn', async () => {
    const queue = new TurnQueue();
    const owner = {};
    const seen: string[] = [];
    const rest = Promise.withResolvers<void>();
    const leaving = async (): Promise<void> => {
      queue.leave(
        owner,
        rest.promise.then(() => seen.push('rest')),
      );
      seen.push('left');
    };
    await queue.take('bulk', leaving, owner);
    await queue.take('bulk', async () => seen.push('own'), owner);
    const others = [
      queue.take('bulk', async () => seen.push('bulk')),
      queue.take('urgent', async () => seen.push('urgent')),
      queue.drained(),
    ];
    for (let n = 0; n < 5; n += 1) await tick();
    expect(seen).toEqual(['left', 'own']);
    rest.resolve();
    await Promise.all(others);
    expect(seen.slice(0, 3)).toEqual(['left', 'own', 'rest']);
    expect(seen.slice(3).sort()).toEqual(['bulk', 'urgent']);
  });

  it('continues when work that a turn left fails; only its owner gets the error', async () => {
    const queue = new TurnQueue();
    const owner = {};
    const failure = Promise.reject(new Error('not sent'));
    await queue.take('bulk', async () => queue.leave(owner, failure), owner);
    expect(await queue.take('urgent', async () => 1)).toBe(1);
    await expect(failure).rejects.toThrow('not sent');
  });

  it('runs urgent work first, and one slice of bulk work after each', async () => {
    const queue = new TurnQueue();
    const order: string[] = [];
    const note = (lane: Lane, name: string) => queue.take(lane, async () => void order.push(name));
    const first = note('urgent', 'first');
    const rest = ['b1', 'b2', 'b3'].map((name) => note('bulk', name));
    const urgent = ['u1', 'u2'].map((name) => note('urgent', name));
    await Promise.all([first, ...rest, ...urgent]);
    expect(order).toEqual(['first', 'b1', 'u1', 'b2', 'u2', 'b3']);
  });

  it('runs several short slices after a long urgent turn, up to a third of its time', async () => {
    using time = stopTime();
    const queue = new TurnQueue();
    const order: string[] = [];
    const note = (lane: Lane, name: string, ms: number) =>
      queue.take(lane, async () => {
        order.push(name);
        time.standStill(ms);
      });
    const first = note('urgent', 'long', 60);
    const bulk = Array.from({ length: 6 }, (_, n) => note('bulk', `b${n}`, 7));
    const second = note('urgent', 'short', 1);
    const third = note('urgent', 'last', 1);
    await Promise.all([first, second, third, ...bulk]);
    expect(order.slice(0, 6)).toEqual(['long', 'b0', 'b1', 'short', 'b2', 'last']);
  });

  it('runs urgent work that arrives during bulk work after the slice under way', async () => {
    using time = stopTime();
    const queue = new TurnQueue();
    await queue.take('urgent', async () => time.standStill(600));
    const order: string[] = [];
    const slices = Array.from({ length: 12 }, (_, n) =>
      queue.take('bulk', async () => {
        order.push(`b${n}`);
        time.standStill(15);
        if (n === 5) void queue.take('urgent', async () => void order.push('urgent'));
      }),
    );
    await Promise.all(slices);
    expect(order.indexOf('urgent')).toBe(6);
  });

  it('continues after work that throws before its first await', async () => {
    const queue = new TurnQueue();
    const throwing = queue.take('urgent', () => {
      throw new Error('at once');
    });
    await expect(throwing).rejects.toThrow('at once');
    await expect(queue.take('urgent', async () => 'next')).resolves.toBe('next');
  });

  it.each<Lane[][]>([[['urgent', 'bulk', 'urgent']], [['urgent', 'urgent', 'urgent']], [['bulk', 'bulk', 'bulk']]])(
    'is drained when all work queued before has ended: %j',
    async (lanes) => {
      using time = stopTime();
      const queue = new TurnQueue();
      let ended = 0;
      for (const lane of lanes) {
        void queue.take(lane, async () => {
          // Long enough for several slices of bulk work after it.
          if (lane === 'urgent') time.standStill(300);
          await tick();
          ended += 1;
        });
      }
      await queue.drained();
      expect(ended).toBe(3);
    },
  );

  it('reports how long recent bulk turns waited', async () => {
    using time = stopTime();
    const turns = new TurnQueue();
    await turns.take('bulk', async () => undefined);
    expect(turns.bulkWaitMs).toBe(0);
    const urgent = turns.take('urgent', () => time.pass(50));
    await Promise.all([urgent, ...Array.from({ length: 20 }, () => turns.take('bulk', async () => undefined))]);
    expect(turns.bulkWaitMs).toBeGreaterThan(40);
    expect(turns.bulkWaitMs).toBeLessThanOrEqual(50);
    for (let n = 0; n < 20; n += 1) await turns.take('bulk', async () => undefined);
    expect(turns.bulkWaitMs).toBeLessThan(5);
  });
});

it('counts the waits of turns, not their work, and passes on their outcome', async () => {
  using time = stopTime();
  const queue = new TurnQueue();
  const turns = new WaitedTurns(queue);
  const work = async (): Promise<string> => {
    await time.pass(60);
    return 'done';
  };
  expect(await turns.take('bulk', work)).toBe('done');
  expect(turns.waitedMs).toBe(0);
  const before = queue.take('urgent', () => time.pass(70));
  await expect(turns.take('bulk', async () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  await before;
  expect(turns.waitedMs).toBe(70);
});
