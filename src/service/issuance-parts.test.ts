import { afterEach, beforeEach, expect, it } from 'vitest';
import { NOON, StoreFolder } from '../../testkit/store/store-folder.ts';
import { AcmeCertificatesStore } from '../store/acme-certificates-store.ts';
import type { Log } from '../telemetry/log.ts';
import { wireIssuance } from './issuance-parts.ts';

type Options = Parameters<typeof wireIssuance>[0];

let folder: StoreFolder;
beforeEach(() => {
  folder = new StoreFolder();
});
afterEach(() => folder.remove());

it('logs that certificates are not renewed while the terms are not agreed to', async () => {
  const database = await folder.open();
  const logged: [string, unknown][] = [];
  const log = { warn: (message: string, fields: unknown) => void logged.push([message, fields]) } as unknown as Log;
  const wire = () =>
    wireIssuance({
      settings: {
        acme: {
          ...{ termsAgreed: false, directory: 'https://ca.example/directory', contacts: [], profile: null },
          ...{ externalAccount: null, rootsFile: null, dnsHook: null, dnsServers: [] },
        },
      },
      // Nothing of these is used.
      ...({ tls: {}, challenges: {}, observer: {}, emit: () => undefined } as unknown as Omit<Options, 'settings'>),
      ...{ database, log, version: '0', now: () => NOON },
    });
  await wire();
  expect(logged).toEqual([]);
  const [id, directory, names] = ['c-aaaaaaaaaa', 'https://ca.example/directory', ['a.example']];
  await new AcmeCertificatesStore(database).add({ id, directory, names, challenge: 'http-01', profile: null }, NOON);
  expect((await wire()).issuance).toMatchObject({ setting: 'PROXY_MANAGER_ACME_TERMS_AGREED' });
  expect(logged).toMatchObject([['Certificates of an authority are not renewed', { certificates: 1 }]]);
});
