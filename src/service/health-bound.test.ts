// Whatever hangs, `/health` answers: what it could not look at in time is told as that.
import { afterEach, describe, expect, vi } from 'vitest';
import { type BlockingKit, caller, toBlock } from '../../testkit/blocking.ts';
import { eventually } from '../../testkit/conditions.ts';
import { itScripted } from '../../testkit/scripted-blocking.ts';
import type { ReloadCoordinator } from '../configuration/reload-coordinator.ts';
import { Health, type HealthSources } from './health.ts';

const withinMs = 700;
/** For a machine that is busy. */
const latestMs = 2_000;

const healthOf = (kit: BlockingKit, more: Partial<HealthSources> = {}) =>
  new Health({
    ...kit,
    reloads: { scheduled: null, last: null, underWay: false } as unknown as ReloadCoordinator,
    versions: () => ({ service: '', proxy: '', unsupported: [], untested: null }),
    proxyProblems: async () => [],
    started: () => true,
    answerWithinMs: withinMs,
    ...more,
  });

async function timed<T>(work: Promise<T>): Promise<{ value: T; tookMs: number }> {
  const began = performance.now();
  const value = await work;
  return { value, tookMs: performance.now() - began };
}

const unlooked = (about: string) =>
  expect.stringMatching(new RegExp(`^${about}: not looked at, no answer within \\d\\.\\d s`));
const never = new Promise<never>(() => undefined);

afterEach(() => {
  vi.restoreAllMocks();
});

describe('a look that hangs', () => {
  itScripted('is told as not looked at, and all others as they are', async ({ master, kit }) => {
    await kit.blockedSet.block(toBlock('9.9.9.9'), caller());
    vi.spyOn(kit.database, 'probe').mockReturnValue(never);
    const health = healthOf(kit, { proxyProblems: async () => ['a stranger listens'] });
    const { value: report, tookMs } = await timed(health.health());
    expect(tookMs).toBeLessThan(latestMs);
    expect(report).toMatchObject({
      status: 'degraded',
      reasons: [unlooked('database'), 'a stranger listens'],
      database: { status: 'unknown', reason: expect.stringMatching(/^not looked at/) },
      master_socket: { status: 'ok' },
      workers: { current: { pid: master.current.pid, whole: true } },
      map_file: { status: 'ok', entries: 1 },
      runtime_map: { expected: 1, seen: 1 },
    });
  });

  itScripted('is one of several that are looked at side by side: those that hang share the time', async ({ kit }) => {
    vi.spyOn(kit.database, 'probe').mockReturnValue(never);
    vi.spyOn(kit.keeper.file, 'unchanged').mockReturnValue(never);
    const { value, tookMs } = await timed(healthOf(kit, { proxyProblems: () => never }).health());
    expect(tookMs).toBeLessThan(latestMs);
    expect(value.reasons).toEqual([unlooked('database'), unlooked('map file'), unlooked('proxy')]);
    expect(value).toMatchObject({ status: 'degraded', map_file: { status: 'unknown' } });
  });

  itScripted('is neither well nor wrong, and told with what was found before', async ({ kit }) => {
    const file = vi.spyOn(kit.keeper.file, 'unchanged');
    const health = healthOf(kit);
    expect(await health.health()).toMatchObject({ status: 'ok' });
    file.mockReturnValueOnce(never);
    const { status, parts } = await health.verdict('ping');
    expect({ status, unsure: Object.entries(parts).filter(([, isWell]) => isWell !== true) }).toEqual({
      status: 'degraded',
      unsure: [['map_file', null]],
    });
  });

  itScripted('stays wrong where it was found wrong, and its age is told', async ({ kit }) => {
    const file = vi.spyOn(kit.keeper.file, 'unchanged').mockResolvedValueOnce(false).mockReturnValue(never);
    const health = healthOf(kit);
    expect(await health.health()).toMatchObject({ map_file: { status: 'behind' } });
    const report = await health.health();
    expect(report.map_file.status).toBe('unknown');
    expect(report.reasons).toEqual([
      expect.stringMatching(/^map file: not looked at, .*; \d\.\d s ago it was: it is not what was written$/),
    ]);
    expect((await health.verdict('ping')).parts.map_file).toBe(false);
    expect(file).toHaveBeenCalledTimes(2);
  });

  itScripted('is not looked at once more beside itself, and is again when it came back', async ({ kit }) => {
    const hang = Promise.withResolvers<void>();
    const probe = vi.spyOn(kit.database, 'probe').mockReturnValueOnce(hang.promise);
    const health = healthOf(kit);
    for (let asked = 0; asked < 3; asked += 1) {
      expect((await health.health()).reasons).toEqual([unlooked('database')]);
    }
    expect(probe).toHaveBeenCalledTimes(1);
    hang.resolve();
    await eventually('all is well', async () => (await health.health()).status === 'ok');
    expect(probe.mock.calls.length).toBeGreaterThan(1);
  });

  itScripted('that failed after all is told by the look that follows', async ({ kit }) => {
    const hang = Promise.withResolvers<void>();
    vi.spyOn(kit.database, 'probe').mockReturnValueOnce(hang.promise);
    const health = healthOf(kit);
    expect(await health.health()).toMatchObject({ status: 'degraded' });
    hang.reject(new Error('database or disk is full'));
    await eventually(
      'it is told',
      async () => (await health.look('ping')).database.reason === 'database or disk is full',
    );
  });

  itScripted('for its turn behind the writer leaves the turn to others once it was told', async ({ master, kit }) => {
    const held = Promise.withResolvers<void>();
    const turn = kit.turns.take('urgent', () => held.promise);
    master.map(kit.mapPath).add('9.9.9.9', '1');
    const asked = healthOf(kit, { answerWithinMs: 2_000 }).health();
    await eventually('it waits for its turn', () => kit.turns.waiting > 0);
    const { reasons, runtime_map } = await asked;
    expect(reasons).toEqual([unlooked('running map')]);
    expect(runtime_map).toMatchObject({ expected: 0, seen: null });
    const counts = () => master.commands.filter((command) => command.endsWith(' show map')).length;
    const before = counts();
    held.resolve();
    await turn;
    await kit.turns.take('urgent', async () => undefined);
    expect(counts()).toBe(before);
  });
});

describe('those who ask for the health', () => {
  itScripted('at once share one look; those who come while it goes on share the next', async ({ kit }) => {
    const looked = Promise.withResolvers<void>();
    const probe = vi.spyOn(kit.database, 'probe').mockReturnValueOnce(looked.promise);
    const health = healthOf(kit, { answerWithinMs: 60_000 });
    const first = Promise.all([health.health(), health.health(), health.health()]);
    await eventually('it is looked', () => probe.mock.calls.length > 0);
    const later = Promise.all([health.health(), health.health(), health.health()]);
    looked.resolve();
    await first;
    expect((await later).map(({ status }) => status)).toEqual(['ok', 'ok', 'ok']);
    expect(probe).toHaveBeenCalledTimes(2);
  });

  itScripted(
    'while a look of others hangs have their answer in time, and all else looked at for themselves',
    async ({ kit }) => {
      const probe = vi.spyOn(kit.database, 'probe').mockReturnValue(never);
      const health = healthOf(kit, { answerWithinMs: 1_000 });
      const first = health.health();
      await eventually('it is looked', () => probe.mock.calls.length > 0);
      const { value, tookMs } = await timed(health.health());
      expect(tookMs).toBeLessThan(1_000 + latestMs);
      expect(value).toMatchObject({
        master_socket: { status: 'ok' },
        map_file: { status: 'ok' },
        runtime_map: { seen: 0 },
      });
      expect(value.reasons).toEqual([unlooked('database')]);
      expect((await first).reasons).toEqual([unlooked('database')]);
    },
  );
});
