// Another program that sets certificates under our names, such as a deploy hook that is left behind.
import { expect, it } from 'vitest';
import { eventually, within } from '../../testkit/conditions.ts';
import { describeOnEachProxy, longTests } from '../../testkit/proxies.ts';
import { partsShown } from '../../testkit/secret-parts.ts';
import { type MadeCertificate, madeCertificate } from '../../testkit/tls/made-certificate.ts';
import { TlsProxy } from '../../testkit/tls/tls-proxy.ts';
import { RuntimeCertificates } from '../haproxy/certificates/runtime-certificates.ts';

const COUNT = 50;
const WRITES_FOR_MS = 60_000;
const ROUND_MS = 30_000;
/** Of a comparison of all, and of a machine that is busy. */
const SLACK_MS = 5_000;
const LETTERS = 'abcdefghijklmnopqrstuvwxyz234567';

describeOnEachProxy('a second writer', ({ bin }) => {
  it.runIf(longTests)('loses within one round of comparisons, and no key is logged', async () => {
    const made = Array.from({ length: COUNT }, (_, at) => {
      const id = `c-aaaaaaaa${LETTERS[at >> 5]}${LETTERS[at & 31]}`;
      return madeCertificate([`n${at}.example`], { id });
    });
    const theirs: MadeCertificate[] = Array.from({ length: 5 }, () => madeCertificate(['theirs.example']));
    const tls = await TlsProxy.start(bin, { stored: made });
    try {
      const pid = await tls.proxy.workerPid();
      const other = new RuntimeCertificates({ socket: tls.proxy.socket, list: tls.files.list });
      tls.reconciler.start();
      const end = performance.now() + WRITES_FOR_MS;
      let writes = 0;
      for (; performance.now() < end; writes += 1) {
        const file = tls.keeper.pathOf(made[Math.floor(Math.random() * COUNT)]!.id);
        await other.put(pid, { ...theirs[writes % theirs.length]!, file }, within(5_000));
      }
      const ended = performance.now();
      await eventually(
        'the certificates are served',
        async () => {
          for (const [at, { sha1 }] of made.entries()) if ((await tls.served(`n${at}.example`)) !== sha1) return false;
          return true;
        },
        ROUND_MS + SLACK_MS,
        500,
      );
      const repairedAfterMs = Math.round(performance.now() - ended);
      process.stdout.write(`${bin}: ${JSON.stringify({ writes, repairs: tls.repaired.length, repairedAfterMs })}\n`);
      const output = tls.logged.join('\n');
      for (const { privateKey } of [...made, ...theirs]) expect(partsShown(privateKey, output)).toEqual([]);
      expect(tls.repaired.length).toBeGreaterThan(0);
    } finally {
      await tls.stop();
    }
  });
});
