import { writeFileSync } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { within } from '../../../testkit/conditions.ts';
import { freePort } from '../../../testkit/free-port.ts';
import { describeOnEachProxy } from '../../../testkit/proxies.ts';
import { defaultConfig, RealProxy } from '../../../testkit/real-proxy.ts';
import { ScriptedMaster, say } from '../../../testkit/scripted-master.ts';
import { partsShown } from '../../../testkit/secret-parts.ts';
import { type MadeCertificate, madeCertificate, servedSha1 } from '../../../testkit/tls/made-certificate.ts';
import { MasterSocket } from '../socket/master-socket.ts';
import { RuntimeCertificates } from './runtime-certificates.ts';
import { SslCommands } from './ssl-commands.ts';

const fallback = madeCertificate(['default.invalid']);

describeOnEachProxy('the certificates of a worker', ({ bin, major, minor }) => {
  let proxy: RealProxy;
  let port: number;
  let list: string;
  let pid: number;
  let runtime: RuntimeCertificates;
  let leftOver: string[];

  beforeEach(async () => {
    port = await freePort();
    leftOver = [];
    proxy = await RealProxy.start(bin, {
      config: (paths) => {
        list = join(paths.folder, 'certificates.list');
        writeFileSync(join(paths.folder, 'default.pem'), fallback.pem.reveal());
        writeFileSync(list, '');
        const bind = `  bind 127.0.0.1:${port} ssl crt ${join(paths.folder, 'default.pem')} crt-list ${list}\n`;
        return defaultConfig(paths).replace(/^ {2}bind .*\n/m, (line) => line + bind);
      },
    });
    pid = await proxy.workerPid();
    runtime = new RuntimeCertificates({
      socket: proxy.socket,
      list,
      onLeftOver: (worker, file) => leftOver.push(`${worker === pid ? 'current' : worker} ${file}`),
    });
  });

  afterEach(() => proxy.stop());

  const at = (name: string): string => join(proxy.paths.folder, `${name}.pem`);
  const raw = async (...commands: string[]): Promise<string[]> =>
    await (await proxy.socket.converse(within(5_000))).finish(commands.map((command) => `@!${pid} ${command}`));
  const put = async (made: MadeCertificate, name = made.names[0]!) =>
    await runtime.put(pid, { ...made, file: at(name) }, within(5_000));
  /** What another process leaves: a transaction for the file. */
  async function setBySomeoneElse(made: MadeCertificate, name: string): Promise<void> {
    const conversation = await proxy.socket.converse(within(5_000));
    const [reply] = await conversation.finish([new SslCommands(pid).set(at(name), made.pem)]);
    expect(reply).toMatch(/^Transaction created for certificate /);
  }

  it('serves a certificate that no file has, and reads it back', async () => {
    const made = madeCertificate(['shop.example.com', '*.example.org'], { chained: true });
    expect(await put(made)).toEqual({ holds: true, notAfter: made.read.notAfter.toISOString() });
    expect(await servedSha1(port, 'shop.example.com')).toBe(made.sha1);
    expect(await servedSha1(port, 'any.example.org')).toBe(made.sha1);
    expect(await servedSha1(port, 'other.example.com')).toBe(fallback.sha1);
    const end = made.read.notAfter.toISOString();
    const held = await runtime.read(pid, [at('shop.example.com'), at('absent')], within(5_000));
    expect([...held.values()]).toEqual([
      {
        file: at('shop.example.com'),
        status: 'Used',
        sha1: made.sha1,
        chainSubjects: made.chainSubjects,
        notAfter: end,
      },
      'absent',
    ]);
    expect(made.chainSubjects).toEqual(['/CN=Test intermediate']);
  });

  it('replaces a certificate, and leaves one entry in the list', async () => {
    await put(madeCertificate(['a.example']));
    const renewed = madeCertificate(['a.example', 'b.example']);
    expect(await put(renewed)).toMatchObject({ holds: true });
    for (const name of renewed.names) expect(await servedSha1(port, name)).toBe(renewed.sha1);
    expect((await runtime.contents(pid, within(5_000))).entries).toMatchObject([{ file: at('a.example') }]);
  });

  it('removes a certificate, every entry of it, and no other', async () => {
    await put(madeCertificate(['a.example']));
    const kept = madeCertificate(['b.example']);
    await put(kept);
    await raw(`add ssl crt-list ${list} ${at('a.example')}`);
    expect((await runtime.contents(pid, within(5_000))).entries).toHaveLength(3);
    await runtime.remove(pid, at('a.example'), within(5_000));
    const { files, entries } = await runtime.contents(pid, within(5_000));
    expect(files.has(at('a.example'))).toBe(false);
    expect(entries).toMatchObject([{ file: at('b.example') }]);
    expect(await servedSha1(port, 'a.example')).toBe(fallback.sha1);
    expect(await servedSha1(port, 'b.example')).toBe(kept.sha1);
    await runtime.remove(pid, at('a.example'), within(5_000));
  });

  it('aborts a transaction that another process left, and changes nothing of its certificate', async () => {
    const left = madeCertificate(['left.example']);
    await put(left);
    await setBySomeoneElse(madeCertificate(['left.example']), 'left.example');
    const made = madeCertificate(['b.example']);
    expect(await put(made)).toMatchObject({ holds: true });
    expect(leftOver).toEqual([`current ${at('left.example')}`]);
    expect(await servedSha1(port, 'left.example')).toBe(left.sha1);
    expect(await servedSha1(port, 'b.example')).toBe(made.sha1);
    expect((await runtime.contents(pid, within(5_000))).transaction).toBeNull();
  });

  it('waits for a transaction that is committed meanwhile', async () => {
    await put(madeCertificate(['a.example']));
    const renewed = madeCertificate(['a.example']);
    await setBySomeoneElse(renewed, 'a.example');
    const made = madeCertificate(['b.example']);
    const both = await Promise.all([put(made), raw(`commit ssl cert ${at('a.example')}`)]);
    expect(both[0]).toMatchObject({ holds: true });
    expect(leftOver).toEqual([]);
    expect(await servedSha1(port, 'a.example')).toBe(renewed.sha1);
  });

  it.each([
    ['another key', (made: MadeCertificate) => made.certificate + madeCertificate(['x.example']).privateKey],
    ['no key', (made: MadeCertificate) => made.certificate],
    ['a damaged certificate', (made: MadeCertificate) => made.pem.reveal().replace(/^M.{20}/m, 'MAAA')],
  ])('reports a certificate with %s, keeps the old one, and leaves no transaction', async (_what, damage) => {
    const old = madeCertificate(['a.example']);
    await put(old);
    const made = madeCertificate(['a.example']);
    const text = damage(made);
    const holding = await put({ ...made, pem: { reveal: () => text } });
    expect(holding).toMatchObject({ holds: false, fault: 'refused', notAfter: old.read.notAfter.toISOString() });
    expect(partsShown(made.privateKey, inspect(holding, { maxStringLength: null }))).toEqual([]);
    expect((await runtime.contents(pid, within(5_000))).transaction).toBeNull();
    expect(await servedSha1(port, 'a.example')).toBe(old.sha1);
  });

  it('reports a certificate that is too long for a command, unless a reload brought it in', async () => {
    const names = Array.from({ length: 260 }, (_, at) => `${at}.a-rather-long-name-for-a-host.example`);
    const made = madeCertificate(names);
    expect(await put(made, 'long')).toMatchObject({ holds: false, fault: 'too-long' });
    writeFileSync(at('long'), made.pem.reveal());
    writeFileSync(list, `${at('long')}\n`);
    await proxy.reload();
    pid = await proxy.workerPid();
    expect(await put(made, 'long')).toMatchObject({ holds: true });
  });

  it('reports a configuration that does not use the list, and loads nothing', async () => {
    const other = new RuntimeCertificates({ socket: proxy.socket, list: `${list}.other` });
    const made = madeCertificate(['a.example']);
    expect(await other.put(pid, { ...made, file: at('a.example') }, within(5_000))).toMatchObject({
      holds: false,
      fault: 'list-unused',
      reason: expect.stringContaining(`${list}.other`),
    });
    expect((await runtime.contents(pid, within(5_000))).files.has(at('a.example'))).toBe(false);
  });

  it('reaches a draining worker, for connections that it has accepted', async () => {
    const held = proxy.keepAliveClient();
    expect(await held.request()).toBe(200);
    const old = pid;
    await proxy.reload();
    const made = madeCertificate(['a.example']);
    expect(await runtime.put(old, { ...made, file: at('a.example') }, within(5_000))).toMatchObject({ holds: true });
    expect(await runtime.put(1, { ...made, file: at('a.example') }, within(5_000))).toMatchObject({ fault: 'gone' });
    held.close();
  });

  it('reports a socket that is gone', async () => {
    await rename(proxy.paths.masterSocket, `${proxy.paths.masterSocket}~`);
    expect(await put(madeCertificate(['a.example']))).toMatchObject({ holds: false, fault: 'unreachable' });
    await rename(`${proxy.paths.masterSocket}~`, proxy.paths.masterSocket);
  });

  if (major === 2 && minor < 7) {
    it('leaves nothing of a certificate that went into the transaction of another', async () => {
      const made = madeCertificate(['a.example']);
      await put(made);
      // Begun behind our check, by another process.
      const other = madeCertificate(['b.example']);
      await put(other);
      const commands = new SslCommands(pid);
      const conversation = await proxy.socket.converse(within(5_000));
      const [reply] = await conversation.send([commands.set(at('a.example'), madeCertificate(['a.example']).pem)]);
      expect(reply).toContain('Transaction created');
      const [swapped] = await conversation.finish([commands.set(at('b.example'), madeCertificate(['b.example']).pem)]);
      expect(swapped).toBe(`Transaction updated for certificate ${at('a.example')}!`);
      const renewed = madeCertificate(['b.example']);
      expect(await put(renewed)).toMatchObject({ holds: true });
      expect(await servedSha1(port, 'a.example')).toBe(made.sha1);
      expect(await servedSha1(port, 'b.example')).toBe(renewed.sha1);
    });
  }
});

describe('a certificate that goes into the transaction of another process', () => {
  it('is taken out of it, and set again', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'pm-'));
    const master = new ScriptedMaster(join(folder, 'm.sock'), {});
    await master.listen();
    const socket = new MasterSocket(master.path);
    const made = { ...madeCertificate(['a.example']), file: '/tls/a.pem' };
    const shown = `Filename: /tls/a.pem\nStatus: Used\nnotAfter: Nov 22 07:34:15 2026 GMT\nSHA1 FingerPrint: ${made.sha1}\n\n`;
    let sets = 0;
    master.script = (command) => {
      const [, verb] = /^@!101 (show ssl crt-list|\w+ ssl cert(?= \/)|show ssl cert)/.exec(command) ?? [];
      if (verb === 'show ssl crt-list') return say('# /tls/list\n/tls/a.pem:1\n\n');
      if (command === '@!101 show ssl cert') return say('# filename\n/tls/a.pem\n/tls/b.pem\n\n');
      if (verb === 'show ssl cert') return say(shown);
      if (verb === 'abort ssl cert') return say("Transaction aborted for certificate '/tls/b.pem'!\n\n");
      if (verb === 'commit ssl cert')
        return say(sets > 1 ? 'Committing /tls/a.pem.\nSuccess!\n\n' : 'No ongoing transaction! !\n\n');
      if (verb !== 'set ssl cert') return undefined;
      sets += 1;
      // As 2.6 does, if the transaction was begun after our check.
      return say(
        `Transaction ${sets > 1 ? 'created' : 'updated'} for certificate ${sets > 1 ? '/tls/a.pem' : '/tls/b.pem'}!\n\n`,
      );
    };
    const runtime = new RuntimeCertificates({ socket, list: '/tls/list' });
    expect(await runtime.put(101, made, within(5_000))).toMatchObject({ holds: true });
    expect(sets).toBe(2);
    expect(master.commands.filter((command) => command.includes('abort'))).toEqual(['@!101 abort ssl cert /tls/b.pem']);
    socket.close();
    await master.stop();
    await rm(folder, { recursive: true });
  });
});
