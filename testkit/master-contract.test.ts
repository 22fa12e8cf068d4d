import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe } from 'vitest';
import { capabilitiesOf } from '../src/haproxy/process/proxy-version.ts';
import { MasterSocket } from '../src/haproxy/socket/master-socket.ts';
import { patienceMs, within } from './conditions.ts';
import { type MasterSubject, masterContract } from './master-contract.ts';
import { describeOnNewestProxy } from './proxies.ts';
import { RealProxy } from './real-proxy.ts';
import { ScriptedMaster } from './scripted-master.ts';

describe.each(['2.6.12', '3.4.0'])('the contract, as of version %s', (version) => {
  masterContract('the scripted master', version !== '2.6.12', () => startScripted(version));
});

async function startScripted(version: string): Promise<MasterSubject> {
  const folder = await mkdtemp(join(tmpdir(), 'pm-'));
  const mapPath = '/etc/proxy/blocked_ips.map';
  const master = new ScriptedMaster(join(folder, 'm.sock'), { [mapPath]: [] });
  master.master.version = version;
  await master.listen();
  const socket = new MasterSocket(master.path);
  return {
    socket,
    mapPath,
    drain: async () => {
      const draining = master.current.pid;
      return { draining, current: master.reload({ [mapPath]: [] }).pid };
    },
    stop: async () => {
      socket.close();
      await master.stop();
      await rm(folder, { recursive: true });
    },
  };
}

// `npm run test:long` runs it on every version.
describeOnNewestProxy('the contract', (proxy) => {
  /** Serves all tests until one leaves it other than as it started. */
  let real: RealProxy | null = null;
  const end = async (): Promise<void> => {
    await real?.stop();
    real = null;
  };
  afterAll(end);

  masterContract('the real one', capabilitiesOf({ ...proxy, text: proxy.version }).workerLines, async () => {
    real ??= await RealProxy.start(proxy.bin);
    const { socket, paths } = real;
    const client = real.keepAliveClient();
    let isNew = true;
    return {
      socket,
      mapPath: paths.blockedMap,
      drain: async () => {
        isNew = false;
        // An open connection keeps the old worker alive.
        await client.request();
        const { before, after } = await real!.reload();
        return { draining: before, current: after };
      },
      stop: async () => {
        client.close();
        if (!isNew) return await end();
        const conversation = await socket.converse(within(patienceMs));
        const [, maps] = await conversation.finish([`@1 clear map ${paths.blockedMap}`, '@1 show map']);
        // Versions and what HAProxy counts stay.
        if (maps?.includes('curr_ver=0 next_ver=0 entry_cnt=0\n') !== true) await end();
      },
    };
  });
});
