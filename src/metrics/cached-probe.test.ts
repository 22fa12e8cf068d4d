import { describe, expect, it } from 'vitest';
import { stopTime } from '../../testkit/stop-time.ts';
import { CachedProbe, type ProbeTimes } from './cached-probe.ts';

/** Probes that end when the test says so. */
function asked(times: ProbeTimes) {
  const questions: { resolve(value: number): void; reject(error: Error): void }[] = [];
  const failures: unknown[] = [];
  const probe = new CachedProbe({
    ask: () => new Promise<number>((resolve, reject) => questions.push({ resolve, reject })),
    times,
    onFailure: (error) => failures.push(error),
  });
  return { probe, questions, failures };
}

describe('a cached probe', () => {
  it('probes once for concurrent callers, and not again while the result is fresh', async () => {
    const { probe, questions } = asked({ fresh: 60_000, stale: 60_000 });
    const looks = [probe.read(10_000), probe.read(10_000)];
    questions[0]!.resolve(7);
    expect(await Promise.all(looks)).toEqual([7, 7]);
    expect(await probe.read(10_000)).toBe(7);
    expect(questions.length).toBe(1);
  });

  it('probes again, once at a time, when the cached answer is too old', async () => {
    const { probe, questions } = asked({ fresh: 0, stale: 60_000 });
    const first = probe.read(10_000);
    questions[0]!.resolve(1);
    expect(await first).toBe(1);
    const [second, third] = [probe.read(10_000), probe.read(10_000)];
    expect(questions.length).toBe(2);
    questions[1]!.resolve(2);
    expect(await Promise.all([second, third])).toEqual([2, 2]);
  });

  it('waits no longer than its limit, and then returns the previous answer unless it is stale', async () => {
    using time = stopTime();
    const { probe, questions } = asked({ fresh: 0, stale: 60_000 });
    const late = probe.read(10);
    await time.pass(10);
    expect(await late).toBeNull();
    questions[0]!.resolve(1);
    expect(await probe.read(10)).toBe(1);
    const later = probe.read(10);
    await time.pass(10);
    expect(await later).toBe(1);
    const forgetful = asked({ fresh: 0, stale: 0 });
    const look = forgetful.probe.read(10);
    forgetful.questions[0]!.resolve(1);
    expect(await look).toBeNull();
  });

  it('has no result after a failed probe, reports the failure, and probes again', async () => {
    const { probe, questions, failures } = asked({ fresh: 0, stale: 60_000 });
    const first = probe.read(10_000);
    questions[0]!.resolve(1);
    await first;
    const second = probe.read(10_000);
    questions[1]!.reject(new Error('gone'));
    expect(await second).toBeNull();
    expect(failures).toEqual([new Error('gone')]);
    const third = probe.read(10_000);
    questions[2]!.resolve(3);
    expect(await third).toBe(3);
  });

  it('pauses in proportion to the duration of a probe', async () => {
    using time = stopTime();
    const { probe, questions } = asked({ fresh: 0, stale: 60_000, share: 0.01 });
    const first = probe.read(10_000);
    await time.pass(20);
    questions[0]!.resolve(1);
    await first;
    await time.pass(1_999);
    expect(await probe.read(10_000)).toBe(1);
    expect(questions.length).toBe(1);
    await time.pass(1);
    void probe.read(10_000);
    expect(questions.length).toBe(2);
  });
});
