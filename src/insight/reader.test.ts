import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { describeOnEachProxy } from '../../testkit/proxies.ts';
import { type ProxyPaths, RealProxy } from '../../testkit/real-proxy.ts';
import { ScriptedMaster, say } from '../../testkit/scripted-master.ts';
import { MasterSocket } from '../haproxy/socket/master-socket.ts';
import { canonicalEntry } from './canonical.ts';
import { TableReader } from './reader.ts';

const never = new AbortController().signal;

describe('a reading of the tables', () => {
  let folder: string;
  let worker: ScriptedMaster;
  let stats: MasterSocket;
  const asked: string[] = [];
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pm-reader-'));
    worker = new ScriptedMaster(join(folder, 's.sock'), {});
    await worker.listen();
    stats = new MasterSocket(worker.path);
    asked.length = 0;
    worker.script = (command) => {
      const commands = command.split(';');
      asked.push(...commands);
      return say('\n'.repeat(commands.length));
    };
  });
  afterEach(async () => {
    stats.close();
    await worker.stop();
    await rm(folder, { recursive: true });
  });
  const reader = (mode: 'on' | 'denied') =>
    new TableReader({ stats, master: stats, workers: () => [7], mode, now: () => new Date() });

  it('lists whole tables only if it is asked to', async () => {
    const tables = async (mode: 'on' | 'denied', whole: boolean) => {
      asked.length = 0;
      await reader(mode).read({ whole, signal: never });
      return [...new Set(asked.map((one) => one.replace('@!7 ', '')))].filter((one) => one.startsWith('show table'));
    };
    expect(await tables('on', false)).toEqual([
      'show table pm_denied data.gpc0_rate gt 0',
      'show table pm_sites data.http_req_rate gt 0',
      'show table pm_rejected data.conn_rate gt 0',
      'show table pm_clients data.http_req_rate gt 0',
    ]);
    expect(await tables('denied', true)).toEqual([
      'show table pm_denied',
      'show table pm_sites',
      'show table pm_rejected',
    ]);
  });

  it('reports a worker whose reply it cannot read, with the reason', async () => {
    worker.script = (command) => say('Unknown command\n\n'.repeat(command.split(';').length));
    const { workers, missing } = await reader('on').read({ whole: false, signal: never });
    expect(workers).toEqual([]);
    expect(missing).toEqual([{ pid: 7, reason: expect.stringContaining('Unknown command') }]);
  });

  it('ends at once when it is aborted', async () => {
    worker.script = () => say('', 'hang');
    const abort = new AbortController();
    const reading = reader('on').read({ whole: false, signal: abort.signal });
    setImmediate(() => abort.abort(new Error('stopping')));
    await expect(reading).rejects.toThrow('stopping');
    await expect(reader('on').read({ whole: false, signal: abort.signal })).rejects.toThrow('stopping');
  });
});

describeOnEachProxy('the counters of a draining worker', ({ bin }) => {
  const config = ({ statsSocket, port }: ProxyPaths) => `global
  stats socket ${statsSocket} mode 600 level operator
  hard-stop-after 60s
defaults
  mode http
  option idle-close-on-response
  timeout connect 5s
  timeout client 60s
  timeout server 60s
  timeout http-keep-alive 60s
backend pm_denied
  stick-table type ipv6 size 100 expire 1d store gpc0,gpc0_rate(1m)
frontend test
  bind 127.0.0.1:${port}
  http-error status 403 content-type text/plain lf-string 'no%[src_inc_gpc0(pm_denied),iif(,)]'
  http-request deny deny_status 403
`;

  it('are read with those of the current one, each by its pid', async () => {
    const proxy = await RealProxy.start(bin, { config });
    const stats = new MasterSocket(proxy.paths.statsSocket);
    const kept = proxy.keepAliveClient('127.0.0.9');
    try {
      await kept.request();
      await kept.request();
      // A draining worker closes a connection after its next response.
      const deps = { stats, master: proxy.socket, mode: 'on' as const, now: () => new Date() };
      const { master: first } = await new TableReader({ ...deps, workers: () => [] }).read({
        whole: false,
        signal: never,
      });
      const { before, after } = await proxy.reload();
      await proxy.request({ from: '127.0.0.8' });
      const reader = new TableReader({ ...deps, workers: () => [before, after, 999_999] });
      const { workers, missing, master } = await reader.read({ whole: false, signal: never });
      const shown = workers.map(({ pid, current, used, handsOver, deniedRequests }) => ({
        ...{ pid, current, handsOver, deniedRequests, tables: [...used.keys()] },
      }));
      const common = { handsOver: false, tables: ['pm_denied'] };
      expect(shown.sort((one) => (one.pid === before ? -1 : 1))).toEqual([
        { ...common, pid: before, current: false, deniedRequests: 2 },
        { ...common, pid: after, current: true, deniedRequests: 1 },
      ]);
      expect(missing).toEqual([]);
      // A reload keeps it.
      expect(master?.pid).toBe(proxy.masterPid);
      expect(Math.abs(master!.startedAt.getTime() - first!.startedAt.getTime())).toBeLessThan(5_000);
      // HAProxy itself empties the tables of a worker that drains, unless peers take them over; its own sums stay.
      expect([...(workers.find(({ pid }) => pid === after)?.denied ?? [])]).toMatchObject([
        { address: canonicalEntry('127.0.0.8').words, value: 1 },
      ]);
      // Without a stats socket, all of it through the master.
      const through = new TableReader({ ...deps, stats: new MasterSocket('/nowhere'), workers: () => [before, after] });
      expect((await through.read({ whole: true, signal: never })).workers.map(({ pid }) => pid)).toEqual([
        before,
        after,
      ]);
    } finally {
      kept.close();
      stats.close();
      await proxy.stop();
    }
  });
});
