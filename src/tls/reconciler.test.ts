import { chmod, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { eventually, within } from '../../testkit/conditions.ts';
import { dealt, describeOnProductProxies, isDealtTo } from '../../testkit/proxies.ts';
import { madeCertificate } from '../../testkit/tls/made-certificate.ts';
import { TlsProxy } from '../../testkit/tls/tls-proxy.ts';
import { RuntimeCertificates } from '../haproxy/certificates/runtime-certificates.ts';

const FIRST = 'c-aaaaaaaaaa';
const SECOND = 'c-bbbbbbbbbb';
const FOREIGN = 'c-zzzzzzzzzz';

/** Changes are noticed by a watch, not by the comparison every 30 s. */
const beforeNextComparisonMs = 20_000;

describeOnProductProxies('the comparison of certificates', ({ bin }) => {
  const dealtIt = dealt(bin, it);
  const first = madeCertificate(['a.example'], { id: FIRST, chained: true });
  const second = madeCertificate(['b.example'], { id: SECOND });
  const wrong = madeCertificate(['a.example']);
  let tls: TlsProxy;
  let pid: number;

  beforeEach(async () => {
    tls = await TlsProxy.start(bin, { stored: [first, second] });
    pid = await tls.proxy.workerPid();
  });

  afterEach(() => tls.stop());

  dealtIt('of a worker that read the files finds nothing to repair', async () => {
    expect(tls.installer.held(FIRST, 1)).toBeNull();
    await tls.reconciler.check(true);
    expect(tls.repaired).toEqual([]);
    expect(tls.reconciler.problems()).toEqual([]);
    expect(tls.installer.held(FIRST, 1)).toMatchObject({
      files: 'durable',
      workers: [{ pid, role: 'current', holds: true, reason: null, notAfter: first.read.notAfter.toISOString() }],
      runtimeUpdated: true,
      handshake: 'not possible',
    });
  });

  dealtIt('sets a certificate again that another process replaced', async () => {
    await tls.reconciler.check(true);
    await tls.runtime.put(pid, { ...wrong, file: tls.keeper.pathOf(FIRST) }, within(5_000));
    expect(await tls.served('a.example')).toBe(wrong.sha1);
    await tls.reconciler.check(true);
    expect(await tls.served('a.example')).toBe(first.sha1);
    expect(tls.repaired).toEqual([{ id: FIRST, worker: pid, was: wrong.sha1, now: first.sha1 }]);
  });

  dealtIt('replaces a certificate that has another chain', async () => {
    const { pem, sha1 } = first;
    const leafAlone = pem.reveal().replace(/(-----END CERTIFICATE-----\n)[\s\S]*?(-----BEGIN PRIVATE)/, '$1$2');
    const unchained = { file: tls.keeper.pathOf(FIRST), pem: { reveal: () => leafAlone }, sha1, chainSubjects: [] };
    expect(await tls.runtime.put(pid, unchained, within(5_000))).toMatchObject({ holds: true });
    await tls.reconciler.check(true);
    expect(tls.repaired).toEqual([{ id: FIRST, worker: pid, was: sha1, now: sha1 }]);
    const [shown] = await tls.raw(pid, `show ssl cert ${tls.keeper.pathOf(FIRST)}`);
    expect(shown).toContain('Chain Subject: /CN=Test intermediate');
  });

  dealtIt('lists a certificate again that another process took out', async () => {
    await tls.runtime.remove(pid, tls.keeper.pathOf(FIRST), within(5_000));
    expect(await tls.served('a.example')).not.toBe(first.sha1);
    await tls.reconciler.check(true);
    expect(await tls.served('a.example')).toBe(first.sha1);
    expect(tls.repaired).toEqual([{ id: FIRST, worker: pid, was: null, now: first.sha1 }]);
  });

  dealtIt('removes what is in our folder and not in the database, and leaves the certificates of others', async () => {
    const foreign = madeCertificate(['foreign.example']);
    const theirs = `${tls.proxy.paths.folder}/theirs.pem`;
    for (const file of [tls.keeper.pathOf(FOREIGN), theirs]) {
      expect(await tls.runtime.put(pid, { ...foreign, file }, within(5_000))).toMatchObject({ holds: true });
    }
    await tls.reconciler.check(true);
    const { files } = await tls.runtime.contents(pid, within(5_000));
    expect([...files].filter((file) => file.includes(FOREIGN) || file === theirs)).toEqual([theirs]);
  });

  const changes = [
    ['damages', async (path: string) => await writeFile(path, 'damaged')],
    ['removes', async (path: string) => await rm(path)],
    ['opens to all users', async (path: string) => await chmod(path, 0o644)],
  ] as const;
  it.each(changes.filter((_, index) => isDealtTo(bin, index)))(
    'rewrites a file that another process %s, as soon as it happens',
    async (_what, change) => {
      tls.reconciler.start();
      await eventually('it was compared', () => tls.installer.held(FIRST, 1));
      for (const [path, text] of [
        [tls.keeper.pathOf(FIRST), first.pem.reveal()],
        [tls.files.list, `${tls.keeper.pathOf(FIRST)}\n${tls.keeper.pathOf(SECOND)}\n`],
      ] as const) {
        await change(path);
        await eventually(
          'the file is as before',
          async () => {
            return (await readFile(path, 'utf8')) === text && ((await stat(path)).mode & 0o777) === 0o600;
          },
          beforeNextComparisonMs,
        );
      }
      expect(tls.logged.join('\n')).toContain('Files of certificates were changed by another process');
    },
  );

  dealtIt('rewrites changed files in a folder that was removed and made again', async () => {
    tls.reconciler.start();
    await eventually('it was compared', () => tls.installer.held(FIRST, 1));
    const isThere = async () => (await readFile(tls.keeper.pathOf(FIRST), 'utf8').catch(String)) === first.pem.reveal();
    await rename(tls.files.folder, `${tls.files.folder}~`);
    await eventually('the folder is back', isThere, beforeNextComparisonMs);
    await writeFile(tls.keeper.pathOf(FIRST), 'damaged');
    await eventually('the file is as before', isThere, beforeNextComparisonMs);
  });

  dealtIt('repairs a draining worker too', async () => {
    const held = tls.proxy.keepAliveClient();
    await held.request();
    await tls.proxy.reload();
    await tls.runtime.put(pid, { ...wrong, file: tls.keeper.pathOf(FIRST) }, within(5_000));
    await tls.reconciler.check(true);
    expect(tls.repaired).toEqual([{ id: FIRST, worker: pid, was: wrong.sha1, now: first.sha1 }]);
    held.close();
  });

  dealtIt('reaches a worker of a reload that another process requested', async () => {
    await tls.reconciler.check(true);
    // The file as of before an installation: what a worker has that read it just then.
    const renewed = madeCertificate(['a.example'], { id: FIRST });
    await writeFile(tls.keeper.pathOf(FIRST), wrong.pem.reveal(), { mode: 0o600 });
    const { after } = await tls.proxy.reload();
    expect(await tls.served('a.example')).toBe(wrong.sha1);
    tls.stored.set(FIRST, renewed);
    await tls.keeper.put(renewed);
    await tls.reconciler.check(false);
    expect(await tls.served('a.example')).toBe(renewed.sha1);
    expect(tls.repaired).toEqual([{ id: FIRST, worker: after, was: wrong.sha1, now: renewed.sha1 }]);
  });

  dealtIt('says that the configuration does not use the list, and schedules no reload', async () => {
    const other = await TlsProxy.start(bin, {
      stored: [first, second],
      bind: (port, { defaultCertificate }) => `bind 127.0.0.1:${port} ssl crt ${defaultCertificate}`,
    });
    await other.reconciler.check(true);
    expect(other.workers.lacking()).toMatchObject([
      { fault: 'list-unused', reason: expect.stringContaining('does not use the list'), ids: [FIRST, SECOND] },
    ]);
    expect(other.reloads).toEqual([]);
    await other.stop();
  });

  dealtIt('is right again within one round while another process sets other certificates', async () => {
    const other = new RuntimeCertificates({ socket: tls.proxy.socket, list: tls.files.list });
    for (let round = 0; round < 5; round += 1) {
      const interference = other.put(pid, { ...wrong, file: tls.keeper.pathOf(FIRST) }, within(5_000));
      await tls.reconciler.check(true);
      await interference;
    }
    await tls.reconciler.check(true);
    expect(await tls.served('a.example')).toBe(first.sha1);
    expect(await tls.served('b.example')).toBe(second.sha1);
  });
});
