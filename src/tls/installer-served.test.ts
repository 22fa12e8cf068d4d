import { expect, it } from 'vitest';
import type { FileKeeper } from './file-keeper.ts';
import { Installer } from './installer.ts';
import type { TlsWorkers } from './workers.ts';

it('a certificate that is served from its file alone is not said to be compared later', () => {
  const log = () => undefined;
  const installer = new Installer({
    keeper: {
      whyLost: () => null,
      get: () => undefined,
      unreadable: new Map([['c-aaaaaaaaaa', 'the secret is missing']]),
    } as unknown as FileKeeper,
    workers: {} as TlsWorkers,
    runtime: {} as never,
    handshake: async () => ({ handshake: 'seen', handshakeReason: null }),
    scheduleReload: () => false,
    recheck: log,
    log: { info: log, warn: log },
  });
  expect(installer.whyNotServed('c-aaaaaaaaaa')).toBe(
    'it is served from its file alone and cannot be compared with the workers: the secret is missing',
  );
  expect(installer.whyNotServed('c-bbbbbbbbbb')).toBe('it was not compared with the workers yet');
});
