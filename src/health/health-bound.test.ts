// `/health` answers in time whatever hangs, and reports what it could not check.
import { afterEach, describe, expect, vi } from 'vitest';
import { type BlockingKit, caller, toBlock } from '../../testkit/blocking.ts';
import { eventually, settled } from '../../testkit/conditions.ts';
import { noDrift } from '../../testkit/no-drift.ts';
import { itScripted, type ScriptedBlocking } from '../../testkit/scripted-blocking.ts';
import type { StoppedTime } from '../../testkit/stop-time.ts';
import type { ReloadCoordinator } from '../configuration/reload/reload-coordinator.ts';
import { Health, type HealthSources } from './health.ts';

const withinMs = 700;

const healthOf = (kit: BlockingKit, more: Partial<HealthSources> = {}) =>
  new Health({
    ...kit,
    reloads: { scheduled: null, last: null, underWay: false } as unknown as ReloadCoordinator,
    versions: () => ({ service: '', proxy: '', unsupported: [], untested: null }),
    drift: { report: async () => noDrift },
    attached: () => null,
    findMaster: async () => null,
    trustHasEffect: () => true,
    notices: async () => [],
    unboundKeys: async () => [],
    proxyProblems: async () => [],
    certificateProblems: async () => [],
    started: () => true,
    answerWithinMs: withinMs,
    ...more,
  });

/** The answer, which must come at the deadline and not before. */
async function whenTimeIsUp<T>(time: StoppedTime, asked: Promise<T>, ms = withinMs): Promise<T> {
  let answered = false;
  const noted = asked.finally(() => {
    answered = true;
  });
  await time.pass(ms - 1);
  await settled();
  expect(answered).toBe(false);
  await time.pass(2);
  return await noted;
}

/** @returns resolves once the map's entries have been counted, and the files checked */
function otherChecks({ master, kit }: ScriptedBlocking, { file = true } = {}): () => Promise<void> {
  // The last of the files to be compared.
  const files = vi.spyOn(kit.upstreams, 'filesUnchanged');
  const counts = () => master.commands.filter((command) => command.endsWith(' show map')).length;
  const compared = () => files.mock.settledResults.filter(({ type }) => type === 'fulfilled').length;
  // Earlier probes of the test count and compare too.
  const before = { counts: counts(), compared: compared() };
  return async () => {
    await eventually('all other checks have ended', () => {
      const filesDone = compared() > before.compared || !file;
      return counts() > before.counts && kit.socket.connections === 0 && filesDone;
    });
    await settled();
  };
}

const notChecked = (about: string) =>
  expect.stringMatching(new RegExp(`^${about}: not checked \\(timed out after \\d\\.\\d s`));
const never = new Promise<never>(() => undefined);

afterEach(() => {
  vi.restoreAllMocks();
});

describe('a check that hangs', () => {
  itScripted(
    'is reported as not checked, beside the results of all others',
    async ({ scripted, master, kit, time }) => {
      await kit.blockedSet.block(toBlock('9.9.9.9'), caller());
      vi.spyOn(kit.database, 'probe').mockReturnValue(never);
      const health = healthOf(kit, {
        proxyProblems: async () => ['another process listens'],
        unboundKeys: () => never,
      });
      const rest = otherChecks(scripted);
      const asked = health.health();
      await rest();
      expect(await whenTimeIsUp(time, asked)).toMatchObject({
        unbound_keys: null,
        status: 'degraded',
        reasons: [notChecked('database'), 'another process listens'],
        database: { status: 'unknown', reason: expect.stringMatching(/^not checked/) },
        master_socket: { status: 'ok' },
        workers: { current: { pid: master.current.pid, whole: true } },
        map_file: { status: 'ok', entries: 1 },
        runtime_map: { expected: 1, seen: 1 },
      });
    },
  );

  itScripted(
    'runs beside the others, so that several that hang share one time-out',
    async ({ scripted, kit, time }) => {
      vi.spyOn(kit.database, 'probe').mockReturnValue(never);
      vi.spyOn(kit.keeper.file, 'unchanged').mockReturnValue(never);
      const rest = otherChecks(scripted, { file: false });
      const asked = healthOf(kit, { proxyProblems: () => never }).health();
      await rest();
      const value = await whenTimeIsUp(time, asked);
      expect(value.reasons).toEqual([notChecked('database'), notChecked('map file'), notChecked('proxy')]);
      expect(value).toMatchObject({ status: 'degraded', map_file: { status: 'unknown' } });
    },
  );

  itScripted('is neither ok nor wrong where it was ok before', async ({ scripted, kit, time }) => {
    const file = vi.spyOn(kit.keeper.file, 'unchanged');
    const health = healthOf(kit);
    expect(await health.health()).toMatchObject({ status: 'ok' });
    file.mockReturnValueOnce(never);
    const rest = otherChecks(scripted, { file: false });
    const asked = health.verdict('ping');
    await rest();
    const { status, parts } = await whenTimeIsUp(time, asked);
    expect({ status, unsure: Object.entries(parts).filter(([, isWell]) => isWell !== true) }).toEqual({
      status: 'degraded',
      unsure: [['map_file', null]],
    });
  });

  itScripted('stays wrong where it was wrong before, with the age of that result', async ({ scripted, kit, time }) => {
    const file = vi.spyOn(kit.keeper.file, 'unchanged').mockResolvedValueOnce(false).mockReturnValue(never);
    const health = healthOf(kit);
    expect(await health.health()).toMatchObject({ map_file: { status: 'behind' } });
    await time.pass(1_300);
    let rest = otherChecks(scripted, { file: false });
    const asked = health.health();
    await rest();
    const report = await whenTimeIsUp(time, asked);
    expect(report.map_file.status).toBe('unknown');
    expect(report.reasons).toEqual([
      'map file: not checked (timed out after 0.7 s; 2.0 s ago: it differs from what was written)',
    ]);
    rest = otherChecks(scripted, { file: false });
    const verdict = health.verdict('ping');
    await rest();
    expect((await whenTimeIsUp(time, verdict)).parts.map_file).toBe(false);
    expect(file).toHaveBeenCalledTimes(2);
  });

  itScripted('is not started again before it has ended', async ({ scripted, kit, time }) => {
    const hang = Promise.withResolvers<void>();
    const probe = vi.spyOn(kit.database, 'probe').mockReturnValueOnce(hang.promise);
    const health = healthOf(kit);
    for (let times = 0; times < 3; times += 1) {
      const rest = otherChecks(scripted);
      const asked = health.health();
      await rest();
      expect((await whenTimeIsUp(time, asked)).reasons).toEqual([notChecked('database')]);
    }
    expect(probe).toHaveBeenCalledTimes(1);
    hang.resolve();
    await eventually('all is well', async () => (await health.health()).status === 'ok');
    expect(probe.mock.calls.length).toBeGreaterThan(1);
  });

  itScripted('is reported by the next check when it fails late', async ({ scripted, kit, time }) => {
    const hang = Promise.withResolvers<void>();
    vi.spyOn(kit.database, 'probe').mockReturnValueOnce(hang.promise);
    const health = healthOf(kit);
    const rest = otherChecks(scripted);
    const asked = health.health();
    await rest();
    expect(await whenTimeIsUp(time, asked)).toMatchObject({ status: 'degraded' });
    hang.reject(new Error('database or disk is full'));
    await eventually(
      'the failure is reported',
      async () => (await health.report('ping')).database.reason === 'database or disk is full',
    );
  });

  itScripted(
    'for its turn of the write queue gives up the turn after the deadline',
    async ({ scripted, master, kit, time }) => {
      const held = Promise.withResolvers<void>();
      const turn = kit.turns.take('urgent', () => held.promise);
      master.map(kit.mapPath).add('9.9.9.9', '1');
      const rest = otherChecks(scripted);
      const asked = healthOf(kit).health();
      await rest();
      await eventually('it waits for its turn', () => kit.turns.waiting > 0);
      const { reasons, runtime_map } = await whenTimeIsUp(time, asked);
      expect(reasons).toEqual([notChecked('running map')]);
      expect(runtime_map).toMatchObject({ expected: 0, seen: null });
      const counts = () => master.commands.filter((command) => command.endsWith(' show map')).length;
      const before = counts();
      held.resolve();
      await turn;
      await kit.turns.take('urgent', async () => undefined);
      expect(counts()).toBe(before);
    },
  );
});

describe('concurrent requests for the health', () => {
  itScripted('share one check; those that arrive meanwhile share the next', async ({ kit }) => {
    const checked = Promise.withResolvers<void>();
    const probe = vi.spyOn(kit.database, 'probe').mockReturnValueOnce(checked.promise);
    const health = healthOf(kit, { answerWithinMs: 60_000 });
    const first = Promise.all([health.health(), health.health(), health.health()]);
    await eventually('the check runs', () => probe.mock.calls.length > 0);
    const later = Promise.all([health.health(), health.health(), health.health()]);
    checked.resolve();
    await first;
    expect((await later).map(({ status }) => status)).toEqual(['ok', 'ok', 'ok']);
    expect(probe).toHaveBeenCalledTimes(2);
  });

  itScripted(
    'are answered in time while an earlier check hangs, with fresh results for all else',
    async ({ scripted, kit, time }) => {
      const probe = vi.spyOn(kit.database, 'probe').mockReturnValue(never);
      const health = healthOf(kit);
      let rest = otherChecks(scripted);
      const first = health.health();
      await eventually('the check runs', () => probe.mock.calls.length > 0);
      await rest();
      await time.pass(400);
      rest = otherChecks(scripted);
      const second = health.health();
      await rest();
      expect((await whenTimeIsUp(time, first, 300)).reasons).toEqual([notChecked('database')]);
      const value = await whenTimeIsUp(time, second, 399);
      expect(value).toMatchObject({
        master_socket: { status: 'ok' },
        map_file: { status: 'ok' },
        runtime_map: { seen: 0 },
      });
      expect(value.reasons).toEqual([notChecked('database')]);
    },
  );
});
