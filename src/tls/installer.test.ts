import { readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually, within } from '../../testkit/conditions.ts';
import { dealt, describeOnProductProxies } from '../../testkit/proxies.ts';
import { partsShown } from '../../testkit/secret-parts.ts';
import { suspend } from '../../testkit/suspend.ts';
import { type MadeCertificate, madeCertificate, servedSha1 } from '../../testkit/tls/made-certificate.ts';
import { TlsProxy } from '../../testkit/tls/tls-proxy.ts';
import { type HandshakeTarget, tryHandshake } from './handshake.ts';

const ID = 'c-aaaaaaaaaa';
const OTHER = 'c-bbbbbbbbbb';

describeOnProductProxies('an installation', ({ bin }) => {
  const dealtIt = dealt(bin, it);
  let tls: TlsProxy;
  let pid: number;

  beforeEach(async () => {
    tls = await TlsProxy.start(bin);
    pid = await tls.proxy.workerPid();
  });

  afterEach(() => tls.stop());

  dealtIt('writes the file, reaches the worker, and sees the certificate in a handshake', async () => {
    const made = madeCertificate(['shop.example.com', '*.example.org'], { chained: true });
    const { logged } = tls;
    expect(await tls.install(made)).toEqual({
      files: 'durable',
      workers: [{ pid, role: 'current', holds: true, reason: null, notAfter: made.read.notAfter.toISOString() }],
      runtimeUpdated: true,
      handshake: 'seen',
      handshakeReason: null,
      reloadScheduled: false,
    });
    expect(tls.installer.held(ID, 1)).toEqual(await tls.install(made));
    expect(await readFile(tls.keeper.pathOf(ID), 'utf8')).toBe(made.pem.reveal());
    expect(await readFile(tls.files.list, 'utf8')).toBe(`${tls.keeper.pathOf(ID)}\n`);
    expect(tls.keeper.problems()).toEqual([]);
    expect(await tls.served('any.example.org')).toBe(made.sha1);
    await tls.proxy.reload();
    expect(await tls.served('any.example.org')).toBe(made.sha1);
    expect(partsShown(made.privateKey, logged.join('\n'))).toEqual([]);
    expect(tls.reloads).toEqual([]);
  });

  dealtIt('does not count for a version that is not installed yet', async () => {
    await tls.install(madeCertificate(['a.example']));
    expect(tls.installer.whyNotServed(ID)).toBeNull();
    expect(tls.installer.held(ID, 2)).toMatchObject({
      files: 'pending',
      workers: [{ pid, holds: false, reason: 'this version is not installed yet' }],
      runtimeUpdated: false,
      handshake: 'not possible',
    });
  });

  dealtIt('sees a chain that has the same subjects and is another', async () => {
    const made = madeCertificate(['a.example'], { chained: true });
    const twin = madeCertificate(['a.example'], { chained: true });
    await tls.install(made);
    const parts = (pem: string) => pem.match(/-----BEGIN [\s\S]*?-----END .*\n/g) as [string, string, string];
    const [[leaf, , key], [, middle]] = [parts(made.pem.reveal()), parts(twin.pem.reveal())];
    const other = { ...tls.workers.forWorker(made), pem: { reveal: () => leaf + middle + key } };
    expect(await tls.runtime.put(pid, other, within(5_000))).toMatchObject({ holds: true });
    expect(await tryHandshake(made, tls.target)).toEqual({
      handshake: 'other',
      handshakeReason: expect.stringMatching(/serves another chain for a\.example/),
    });
  });

  dealtIt('checks a wildcard by a host below it', async () => {
    expect(await tls.install(madeCertificate(['*.example.org']))).toMatchObject({ handshake: 'seen' });
  });

  dealtIt(
    'reaches each draining worker, for connections that it accepted before their handshake, and names it',
    async () => {
      const accepted: Socket[] = [];
      const accept = async (of: number) => {
        const connectionsOf = async () => /^CurrConns: (\d+)$/m.exec((await tls.raw(of, 'show info'))[0]!)?.[1];
        accepted.push(connect(tls.port, '127.0.0.1'));
        await eventually('the worker accepted the connection', async () => (await connectionsOf()) === '1');
      };
      await tls.install(madeCertificate(['a.example']));
      await accept(pid);
      const { after: second } = await tls.proxy.reload();
      await accept(second);
      const { after } = await tls.proxy.reload();
      const made = { ...madeCertificate(['a.example']), version: 2 };
      const { workers, runtimeUpdated } = await tls.install(made);
      const draining = [pid, second].map((one) => ({ pid: one, role: 'draining', holds: true, reason: null }));
      expect(workers[0]).toMatchObject({ pid: after, role: 'current', holds: true, reason: null });
      expect(workers.slice(1)).toEqual(expect.arrayContaining(draining.map((one) => expect.objectContaining(one))));
      expect(workers).toHaveLength(3);
      expect(runtimeUpdated).toBe(true);
      for (const socket of accepted) expect(await servedSha1(tls.port, 'a.example', { socket })).toBe(made.sha1);
    },
  );

  dealtIt('answers although the worker hangs, schedules one reload, and says which worker lacks it', async () => {
    await tls.install(madeCertificate(['a.example']));
    await suspend(pid);
    const made = madeCertificate(['a.example']);
    const answer = await tls.install(made);
    expect(answer).toMatchObject({
      files: 'durable',
      workers: [
        {
          pid,
          role: 'current',
          holds: false,
          reason: expect.stringContaining('deadline'),
          notAfter: expect.any(String),
        },
      ],
      runtimeUpdated: false,
      handshake: 'not possible',
      reloadScheduled: true,
    });
    expect(tls.reloads).toHaveLength(1);
    expect(tls.installer.reloadNeeded).toBe(true);
    process.kill(pid, 'SIGCONT');
    await tls.proxy.socket.settled(`@!${pid}`, performance.now() + 5_000);
    await eventually('the worker is repaired', async () => {
      await tls.reconciler.check(false);
      return (await tls.served('a.example')) === made.sha1;
    });
    expect(tls.installer.held(ID, 1)).toMatchObject({ runtimeUpdated: true, reloadScheduled: false });
    expect(tls.installer.reloadNeeded).toBe(false);
  });

  dealtIt('without a master socket is durable, and schedules no reload', async () => {
    await tls.install(madeCertificate(['a.example']));
    const { masterSocket } = tls.proxy.paths;
    await rename(masterSocket, `${masterSocket}~`);
    const made = madeCertificate(['a.example']);
    const answer = await tls.install(made);
    expect(answer).toMatchObject({
      files: 'durable',
      workers: [{ pid, holds: false, reason: expect.stringContaining('there is no socket') }],
      runtimeUpdated: false,
      reloadScheduled: false,
    });
    await rename(`${masterSocket}~`, masterSocket);
    await tls.reconciler.check(false);
    expect(await tls.served('a.example')).toBe(made.sha1);
  });

  dealtIt('that cannot write the file reaches the workers, and writes it later', async () => {
    await tls.install(madeCertificate(['a.example']));
    const made = madeCertificate(['b.example'], { id: OTHER });
    await rm(`${tls.files.folder}/.tmp`, { recursive: true });
    await writeFile(`${tls.files.folder}/.tmp`, '');
    expect(await tls.install(made)).toMatchObject({ files: 'pending', runtimeUpdated: true, handshake: 'seen' });
    expect(tls.keeper.problems()).toEqual([expect.stringContaining(`${OTHER}.pem could not be written`)]);
    // The list names no file that is missing: a reload keeps the others.
    expect(await readFile(tls.files.list, 'utf8')).not.toContain(OTHER);
    await rm(`${tls.files.folder}/.tmp`);
    await tls.files.open();
    await tls.reconciler.check(false);
    expect(tls.keeper.problems()).toEqual([]);
    expect(tls.installer.held(OTHER, 1)).toMatchObject({ files: 'durable' });
    await tls.proxy.reload();
    expect(await tls.served('b.example')).toBe(made.sha1);
  });

  dealtIt('says what a handshake sees instead', async () => {
    await tls.install(madeCertificate(['a.example']));
    const here = tls.target as HandshakeTarget & { possible: true };
    tls.target = { possible: false, why: 'no bind line uses the list' };
    expect(await tls.install(madeCertificate(['a.example']))).toMatchObject({
      runtimeUpdated: true,
      handshake: 'not possible',
      handshakeReason: 'no bind line uses the list',
      reloadScheduled: false,
    });
    const other = await TlsProxy.start(bin);
    tls.target = other.target;
    expect(await tls.install(madeCertificate(['a.example']))).toMatchObject({
      runtimeUpdated: true,
      handshake: 'other',
      handshakeReason: expect.stringMatching(/serves another certificate for a\.example/),
    });
    await other.stop();
    expect(await tls.install(madeCertificate(['a.example']))).toMatchObject({
      handshake: 'failed',
      handshakeReason: expect.stringContaining('ECONNREFUSED'),
    });
    expect(tls.installer.whyNotServed(ID)).toContain('ECONNREFUSED');
    const [address] = here.addresses;
    tls.target = { ...here, addresses: [address!, { ...address!, port: other.port }] };
    expect(await tls.install(madeCertificate(['a.example']))).toMatchObject({ handshake: 'failed' });
    // And again, without a new installation.
    tls.target = { ...here, untried: ['the address :444 was not tried'] };
    await tls.reconciler.check(false);
    expect(tls.installer.held(ID, 1)).toMatchObject({
      handshake: 'seen',
      handshakeReason: 'the address :444 was not tried',
    });
    expect(tls.installer.whyNotServed(ID)).toBeNull();
  });

  describe('removed', () => {
    const made: MadeCertificate = madeCertificate(['a.example']);
    const kept = madeCertificate(['b.example'], { id: OTHER });

    beforeEach(async () => {
      await tls.install(made);
      await tls.install(kept);
    });

    dealtIt('goes from the list and the worker, and then from the folder', async () => {
      tls.stored.delete(ID);
      expect(await tls.installer.remove(ID)).toMatchObject({ files: 'durable', runtimeUpdated: true });
      expect(tls.installer.held(ID, 1)).toBeNull();
      expect(await readFile(tls.files.list, 'utf8')).toBe(`${tls.keeper.pathOf(OTHER)}\n`);
      // It may be the only copy of the key until the database has the removal.
      expect(await readFile(tls.keeper.pathOf(ID), 'utf8')).toBe(made.pem.reveal());
      expect(await tls.installer.deleteFile(ID)).toBe(true);
      await expect(stat(tls.keeper.pathOf(ID))).rejects.toThrow('ENOENT');
      expect(await tls.served('a.example')).not.toBe(made.sha1);
      expect(await tls.served('b.example')).toBe(kept.sha1);
      expect(await tls.raw(pid, 'show ssl cert')).toEqual([expect.not.stringContaining(ID)]);
    });

    dealtIt('while the socket is gone, goes from the worker at the next comparison', async () => {
      const { masterSocket } = tls.proxy.paths;
      await rename(masterSocket, `${masterSocket}~`);
      tls.stored.delete(ID);
      expect(await tls.installer.remove(ID)).toMatchObject({ files: 'durable', runtimeUpdated: false });
      expect(await tls.served('a.example')).toBe(made.sha1);
      await rename(`${masterSocket}~`, masterSocket);
      await tls.reconciler.check(true);
      expect(await tls.served('a.example')).not.toBe(made.sha1);
      expect(await tls.served('b.example')).toBe(kept.sha1);
    });

    dealtIt('while no worker is known, is not said to be gone from all', async () => {
      const unknowing = await TlsProxy.start(bin, { stored: [made] });
      await rename(unknowing.proxy.paths.masterSocket, `${unknowing.proxy.paths.masterSocket}~`);
      expect(await unknowing.installer.remove(ID)).toMatchObject({ workers: [], runtimeUpdated: false });
      await rename(`${unknowing.proxy.paths.masterSocket}~`, unknowing.proxy.paths.masterSocket);
      await unknowing.stop();
    });

    dealtIt('if the list cannot be written, is an error, and the certificate stays in use', async () => {
      await rm(`${tls.files.folder}/.tmp`, { recursive: true });
      await expect(tls.installer.remove(ID)).rejects.toThrow('the list of certificates could not be written');
      expect(await tls.served('a.example')).toBe(made.sha1);
      await tls.reconciler.check(true);
      expect(await tls.served('a.example')).toBe(made.sha1);
    });
  });
});
