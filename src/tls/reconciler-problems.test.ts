import { afterEach, expect, it, vi } from 'vitest';
import { KickablePause } from '../concurrency/pause.ts';
import { CertificateRejection } from '../haproxy/certificates/runtime-certificates.ts';
import { MasterSocketError } from '../haproxy/socket/master-socket-error.ts';
import type { FileKeeper } from './file-keeper.ts';
import type { Installer } from './installer.ts';
import { TlsReconciler } from './reconciler.ts';
import type { KnownWorker, Lacking, TlsWorkers } from './workers.ts';

afterEach(() => void vi.restoreAllMocks());

const workerOf = (pid: number, role: KnownWorker['role']): KnownWorker => ({ pid, startTime: 1, role });
const all = [workerOf(1, 'current'), workerOf(2, 'draining')];

it('only current workers degrade health, and after 10 s', async () => {
  const lacking = all.map(
    (worker): Lacking => ({ worker, fault: 'failed', reason: 'refused', ids: ['c-a'], since: performance.now() }),
  );
  const reconciler = reconcilerOf({
    look: async () => ({ workers: all, starting: false }),
    all: () => all,
    lacking: () => lacking,
  });
  await reconciler.check(true);
  expect(reconciler.problems()).toEqual([]);
  const now = performance.now();
  vi.spyOn(performance, 'now').mockReturnValue(now + 10_001);
  expect(reconciler.problems()).toEqual([
    'the certificates of worker 1 were not compared: locked',
    'worker 1 does not hold certificate c-a: refused',
  ]);
});

it('while HAProxy does not answer, files that it refuses are replaced, each 30 s', async () => {
  const unreachable = new MasterSocketError('missing', { path: '/master.sock', command: '' });
  let isUp = false;
  const substitute = vi.fn(async (_output: string | null) => false);
  const look = async () => {
    if (!isUp) throw unreachable;
    return { workers: [], starting: false };
  };
  const reconciler = reconcilerOf({ look, all: () => [], lacking: () => [] }, { substitute });
  const calls: number[] = [];
  const began = performance.now();
  for (const [up, seconds] of [
    [false, 0],
    [false, 29],
    [false, 31],
    [true, 32],
    [false, 33],
  ] as const) {
    isUp = up;
    vi.spyOn(performance, 'now').mockReturnValue(began + seconds * 1_000);
    await reconciler.check(false);
    calls.push(substitute.mock.calls.length);
  }
  expect(calls).toEqual([1, 1, 2, 2, 3]);
  expect(substitute).toHaveBeenLastCalledWith(null);
});

function reconcilerOf(workers: Pick<TlsWorkers, 'look' | 'all' | 'lacking'>, keeper: Partial<FileKeeper> = {}) {
  const log = () => undefined;
  return new TlsReconciler({
    timer: new KickablePause(),
    folder: '/tls',
    keeper: {
      refresh: async () => undefined,
      restore: async () => [],
      wanted: [{ id: 'c-a' }],
      isLoaded: true,
      ...keeper,
    } as unknown as FileKeeper,
    workers: workers as TlsWorkers,
    runtime: { contents: () => Promise.reject(new CertificateRejection('failed', 'locked')) } as never,
    installer: {
      exclusive: (work: () => Promise<unknown>) => work(),
      retryHandshakes: async () => undefined,
      allHeld: () => undefined,
    } as unknown as Installer,
    wanted: { all: async () => [], unreadable: async () => [], removedAmong: async () => new Set() },
    onRepaired: log,
    log: { info: log, warn: log, error: log },
  });
}
