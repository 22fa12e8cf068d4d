import { afterEach, expect, it, vi } from 'vitest';
import { madeCertificate } from '../../testkit/tls/made-certificate.ts';
import type { FileKeeper } from './file-keeper.ts';
import type { CertificateToInstall } from './installation.ts';
import { Installer } from './installer.ts';
import type { TlsWorkers } from './workers.ts';

afterEach(() => void vi.restoreAllMocks());

it('handshakes that are not answered take turns, and hold up a comparison for a short time', async () => {
  const made = madeCertificate(['a.example']);
  const wanted = ['c-aaaaaaaaaa', 'c-bbbbbbbbbb', 'c-cccccccccc'].map((id): CertificateToInstall => ({ ...made, id }));
  const tried: string[] = [];
  const log = () => undefined;
  const installer = new Installer({
    keeper: {
      put: async () => undefined,
      get: (id: string) => wanted.find((one) => one.id === id),
      isDurable: () => true,
    } as unknown as FileKeeper,
    workers: {
      put: async () => ({ workers: [], everyCurrent: true, reload: null }),
      isHeldByCurrent: () => true,
    } as unknown as TlsWorkers,
    runtime: {} as never,
    handshake: async ({ id }) => {
      tried.push(id);
      const now = performance.now();
      vi.spyOn(performance, 'now').mockReturnValue(now + 1_500);
      return { handshake: 'failed', handshakeReason: 'no answer' };
    },
    scheduleReload: () => false,
    recheck: log,
    log: { info: log, warn: log },
  });
  for (const certificate of wanted) await installer.install(certificate);
  const [a, b, c] = tried.splice(0);
  await installer.retryHandshakes();
  await installer.retryHandshakes();
  expect(tried).toEqual([a, b, c, a]);
});
