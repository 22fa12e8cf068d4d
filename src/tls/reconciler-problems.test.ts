import { afterEach, expect, it, vi } from 'vitest';
import { KickablePause } from '../concurrency/pause.ts';
import { CertificateRejection } from '../haproxy/certificates/runtime-certificates.ts';
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
  const log = () => undefined;
  const reconciler = new TlsReconciler({
    timer: new KickablePause(),
    folder: '/tls',
    keeper: {
      refresh: async () => undefined,
      restore: async () => [],
      wanted: [{ id: 'c-a' }],
      isLoaded: true,
    } as unknown as FileKeeper,
    workers: { look: async () => ({ workers: all }), all: () => all, lacking: () => lacking } as unknown as TlsWorkers,
    runtime: { contents: () => Promise.reject(new CertificateRejection('failed', 'locked')) } as never,
    installer: {
      exclusive: (work: () => Promise<unknown>) => work(),
      retryHandshakes: async () => undefined,
    } as unknown as Installer,
    wanted: { all: async () => [], unreadable: async () => [], removedAmong: async () => new Set() },
    onRepaired: log,
    log: { info: log, warn: log, error: log },
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
