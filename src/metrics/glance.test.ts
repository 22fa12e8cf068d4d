import { describe, expect, it } from 'vitest';
import { stopTime } from '../../testkit/stop-time.ts';
import { Glance, type GlanceTimes } from './glance.ts';

/** Questions that are answered when the test says so. */
function asked(times: GlanceTimes) {
  const questions: { resolve(value: number): void; reject(error: Error): void }[] = [];
  const failures: unknown[] = [];
  const glance = new Glance(
    () => new Promise<number>((resolve, reject) => questions.push({ resolve, reject })),
    times,
    (error) => failures.push(error),
  );
  return { glance, questions, failures };
}

describe('a glance', () => {
  it('asks once for all who look meanwhile, and not again while the answer is fresh', async () => {
    const { glance, questions } = asked({ fresh: 60_000, stale: 60_000 });
    const looks = [glance.look(10_000), glance.look(10_000)];
    questions[0]!.resolve(7);
    expect(await Promise.all(looks)).toEqual([7, 7]);
    expect(await glance.look(10_000)).toBe(7);
    expect(questions.length).toBe(1);
  });

  it('asks anew, one question at a time, when the answer is not', async () => {
    const { glance, questions } = asked({ fresh: 0, stale: 60_000 });
    const first = glance.look(10_000);
    questions[0]!.resolve(1);
    expect(await first).toBe(1);
    const [second, third] = [glance.look(10_000), glance.look(10_000)];
    expect(questions.length).toBe(2);
    questions[1]!.resolve(2);
    expect(await Promise.all([second, third])).toEqual([2, 2]);
  });

  it('waits no longer than it may, and has the answer before as long as that is not stale', async () => {
    using time = stopTime();
    const { glance, questions } = asked({ fresh: 0, stale: 60_000 });
    const late = glance.look(10);
    await time.pass(10);
    expect(await late).toBeNull();
    questions[0]!.resolve(1);
    expect(await glance.look(10)).toBe(1);
    const later = glance.look(10);
    await time.pass(10);
    expect(await later).toBe(1);
    const forgetful = asked({ fresh: 0, stale: 0 });
    const look = forgetful.glance.look(10);
    forgetful.questions[0]!.resolve(1);
    expect(await look).toBeNull();
  });

  it('knows nothing after a failure, tells of it, and asks again', async () => {
    const { glance, questions, failures } = asked({ fresh: 0, stale: 60_000 });
    const first = glance.look(10_000);
    questions[0]!.resolve(1);
    await first;
    const second = glance.look(10_000);
    questions[1]!.reject(new Error('gone'));
    expect(await second).toBeNull();
    expect(failures).toEqual([new Error('gone')]);
    const third = glance.look(10_000);
    questions[2]!.resolve(3);
    expect(await third).toBe(3);
  });

  it('rests in proportion to what asking took', async () => {
    using time = stopTime();
    const { glance, questions } = asked({ fresh: 0, stale: 60_000, share: 0.01 });
    const first = glance.look(10_000);
    await time.pass(20);
    questions[0]!.resolve(1);
    await first;
    await time.pass(1_999);
    expect(await glance.look(10_000)).toBe(1);
    expect(questions.length).toBe(1);
    await time.pass(1);
    void glance.look(10_000);
    expect(questions.length).toBe(2);
  });
});
