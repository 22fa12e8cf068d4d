import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { KickablePause } from '../concurrency/pause.ts';
import { CertificateRejection } from '../haproxy/certificates/runtime-certificates.ts';
import { MasterSocketError, type SocketFailureReason } from '../haproxy/socket/master-socket-error.ts';
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

describe('files, at a comparison at which HAProxy', () => {
  const substitute = vi.fn(async (_output: string | null) => false);
  let failure: SocketFailureReason | null;
  let reconciler: TlsReconciler;
  const began = performance.now();

  beforeEach(() => {
    substitute.mockReset();
    const look = async () => {
      if (failure !== null) throw new MasterSocketError(failure, { path: '/master.sock', command: '' });
      return { workers: [], starting: false };
    };
    reconciler = reconcilerOf({ look, all: () => [], lacking: () => [] }, { substitute });
  });

  async function checksAt(...comparisons: readonly (readonly [SocketFailureReason | null, seconds: number])[]) {
    const calls: number[] = [];
    for (const [reason, seconds] of comparisons) {
      failure = reason;
      now(seconds);
      await reconciler.check(false);
      calls.push(substitute.mock.calls.length);
    }
    return calls;
  }

  const now = (seconds: number) => vi.spyOn(performance, 'now').mockReturnValue(began + seconds * 1_000);

  it('is down are checked each 30 s, and those that it refuses are replaced', async () => {
    expect(await checksAt(['missing', 0], ['refused', 29], ['refused', 31], [null, 32], ['missing', 33])).toEqual([
      1, 1, 2, 2, 3,
    ]);
    expect(substitute).toHaveBeenLastCalledWith(null);
  });

  it('is down are checked less often if there are thousands', async () => {
    const takesMs = 5_000;
    substitute.mockImplementation(async () => {
      now(performance.now() / 1_000 - began / 1_000 + takesMs / 1_000);
      return false;
    });
    expect(await checksAt(['missing', 0], ['missing', 31], ['missing', 99], ['missing', 101])).toEqual([1, 1, 1, 2]);
  });

  it('is slow, or cannot be asked, are not checked', async () => {
    expect(await checksAt(['deadline', 0], ['cut-short', 31], ['exhausted', 62], ['not-permitted', 93])).toEqual([
      0, 0, 0, 0,
    ]);
  });
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
    wanted: { all: async () => [], unreadable: async () => [], removedAmong: async () => new Map() },
    onRepaired: log,
    log: { info: log, warn: log, error: log },
  });
}
