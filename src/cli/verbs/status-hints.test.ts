// `status` finds its hints by patterns in reasons. Reasons come from the real code here, so that a rewording fails.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type BlockingKit, caller, toBlock } from '../../../testkit/blocking.ts';
import { noDrift } from '../../../testkit/no-drift.ts';
import { openScriptedBlocking, type ScriptedBlocking } from '../../../testkit/scripted-blocking.ts';
import type { LiveRule } from '../../configuration/reload/live-rule.ts';
import type { ReloadCoordinator } from '../../configuration/reload/reload-coordinator.ts';
import { MasterSocketError } from '../../haproxy/socket/master-socket-error.ts';
import { Health, type HealthSources } from '../../health/health.ts';
import { proxyProblems } from '../../health/proxy-problems.ts';
import { FileGuard } from '../../store/sqlite/file-guard.ts';
import { translateSqliteError } from '../../store/sqlite/sqlite-errors.ts';
import type { Supervisor } from '../../supervision/supervisor.ts';
import { remedies, whatToDo } from './status.ts';

/** Makes a healthy service with one block faulty. */
type Fault = (scripted: ScriptedBlocking) => Partial<HealthSources> | Promise<Partial<HealthSources>>;

const reloadsWith = (scheduled: object | null) =>
  ({ scheduled, last: null, underWay: false }) as unknown as ReloadCoordinator;

async function reasonsAfter(fault: Fault): Promise<readonly string[]> {
  const scripted = await openScriptedBlocking();
  const { kit, time } = scripted;
  try {
    await kit.reconciler.check(true);
    await kit.blockedSet.block(toBlock('9.9.9.9'), caller());
    const health = new Health({
      ...kit,
      reloads: reloadsWith(null),
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
      ...(await fault(scripted)),
    });
    return (await time.during(health.health())).reasons;
  } finally {
    await scripted.close();
  }
}

const databaseFailsWith =
  (error: () => unknown): Fault =>
  ({ kit }) => {
    vi.spyOn(kit.database, 'probe').mockRejectedValue(error());
    return {};
  };

const sqliteFails = (code: string): Fault =>
  databaseFailsWith(() => translateSqliteError(new SqliteDatabase.SqliteError('as SQLite says', code)));

function errorOfRemovedFile(): unknown {
  const folder = mkdtempSync(join(tmpdir(), 'pmh-'));
  const file = join(folder, 'x.sqlite');
  writeFileSync(file, '');
  const guard = new FileGuard(file);
  rmSync(folder, { recursive: true });
  try {
    guard.check();
  } catch (error) {
    return error;
  }
  throw new Error('the guard did not notice that the file is gone');
}

const socketFails: Fault = ({ kit }) => {
  const error = new MasterSocketError('missing', { path: '/run/haproxy-master.sock', command: '' });
  vi.spyOn(kit.socket, 'converse').mockRejectedValue(error);
  return {};
};

const entryIsMissing: Fault = ({ master, kit }) => {
  master.map(kit.mapPath).del('9.9.9.9');
  return {};
};

/** Health compares such a worker once more, which would repair it. */
function differs(kit: BlockingKit, pid: number): void {
  vi.spyOn(kit.reconciler, 'checkThroughReload').mockResolvedValue(undefined);
  kit.registry.markSuspect(pid, 'blocked', '9.9.9.9 is not in its map');
}

const workerDiffers: Fault = ({ master, kit }) => {
  differs(kit, master.current.pid);
  return {};
};

const drainingWorkerDiffers: Fault = async ({ master, kit }) => {
  const { pid } = master.current;
  master.reload();
  await kit.reconciler.check(true);
  differs(kit, pid);
  return {};
};

const mapIsNotLoaded: Fault = async ({ master, kit }) => {
  master.reload();
  (master.current.maps as Map<string, unknown>).delete(kit.mapPath);
  await kit.reconciler.check(true);
  return {};
};

const mapFileIsChanged: Fault = async ({ kit }) => {
  await appendFile(kit.mapPath, '8.8.8.8 1\n');
  return {};
};

const supervisionReports =
  (reason: string): Fault =>
  ({ kit }) => ({
    notices: async () => [],
    unboundKeys: async () => [],
    proxyProblems: () =>
      proxyProblems(
        {
          configFile: '/etc/haproxy/haproxy.cfg',
          rule: { findings: async () => ({ exists: true, problem: null, binds: [] }) } as unknown as LiveRule,
          supervisor: { state: { running: false, reason } } as unknown as Supervisor,
        },
        kit.registry,
      ),
  });

const certificateIsNotRenewed: Fault = () => ({
  certificateProblems: async () => ['c-a of shop.example expires at 2026-11-30T12:00:00.000Z and is not renewed'],
});

const noWorkerIsLeft: Fault = ({ master }) => {
  master.refuseReload();
  master.currentDies();
  return {};
};

const reloadIsScheduled: Fault = () => ({
  reloads: reloadsWith({ reasons: ['block 9.9.9.9: not verified'], since: new Date(), attempts: 0 }),
});

const faults: readonly (readonly [what: string, fault: Fault, hint: RegExp])[] = [
  ['a check that got no time', () => ({ answerWithinMs: 0 }), /top, dmesg/],
  ['a removed database', databaseFailsWith(errorOfRemovedFile), /^put back/],
  ['a damaged database', sqliteFails('SQLITE_CORRUPT'), /restore a backup/],
  ['a database file that is no database', sqliteFails('SQLITE_NOTADB'), /restore a backup/],
  ['a database that another process uses', sqliteFails('SQLITE_BUSY'), /fuser/],
  ['a locked table', sqliteFails('SQLITE_LOCKED'), /fuser/],
  ['a full disk', sqliteFails('SQLITE_FULL'), /df -h/],
  ['a read-only database', sqliteFails('SQLITE_READONLY'), /df -h/],
  ['a missing master socket', socketFails, /that HAProxy is running/],
  ['a changed map file', mapFileIsChanged, /^to rewrite it/],
  ['an entry that a running map lacks', entryIsMissing, /^the service compares and repairs it/],
  ['a current worker that differs', workerDiffers, /^the service repairs it/],
  ['a current worker without the map', mapIsNotLoaded, /add the rule/],
  ['a draining worker that differs', drainingWorkerDiffers, /^the service retries/],
  ['a scheduled reload', reloadIsScheduled, /"last reload" above/],
  ['a HAProxy that ended', supervisionReports('the master 7 is gone'), /^the service restarts it/],
  ['a HAProxy that was not looked for yet', supervisionReports('not checked yet'), /^the service restarts it/],
  ['a certificate that is not renewed', certificateIsNotRenewed, /certificate orders/],
  ['no worker', noWorkerIsLeft, /--supervise/],
];

afterEach(() => {
  vi.restoreAllMocks();
});

describe('the hint of status', () => {
  const used = new Set<unknown>();

  it.each(faults)('is found in the reason of %s', async (_what, fault, hint) => {
    const reasons = await reasonsAfter(fault);
    expect(reasons.map((reason) => whatToDo(reason))).toContainEqual(expect.stringMatching(hint));
    for (const reason of reasons) used.add(remedies.find(([pattern]) => pattern.test(reason)));
  });

  it('is proved above for every pattern', () => {
    expect(remedies.filter((remedy) => !used.has(remedy))).toEqual([]);
  });

  it('names systemctl if the service is attached to HAProxy', async () => {
    const reasons = await reasonsAfter(noWorkerIsLeft);
    const hints = reasons.map((reason) => whatToDo(reason, true)).join('\n');
    expect(hints).toContain('systemctl start haproxy');
    expect(hints).not.toContain('--supervise');
  });

  it('names attach for a HAProxy that may run without the socket', async () => {
    const reasons = await reasonsAfter(socketFails);
    const hints = reasons.map((reason) => whatToDo(reason, true));
    expect(hints).toContainEqual(expect.stringContaining('restart it with the socket: proxy-manager attach'));
  });
});
