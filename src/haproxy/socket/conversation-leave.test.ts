import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { within } from '../../../testkit/conditions.ts';
import { ScriptedMaster, say } from '../../../testkit/scripted-master.ts';
import { RuntimeMap } from '../maps/runtime-map.ts';
import { MasterSocket } from './master-socket.ts';

const path = '/etc/proxy/blocked_ips.map';
let folder: string;
let master: ScriptedMaster;
let socket: MasterSocket;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pm-leave-'));
  master = new ScriptedMaster(join(folder, 'm.sock'), { [path]: ['192.0.2.1 1'] });
  await master.listen();
  socket = new MasterSocket(master.path);
});
afterEach(async () => {
  socket.close();
  await master.stop();
  await rm(folder, { recursive: true, force: true });
});

describe('a master that replies and then does not close the connection', () => {
  beforeEach(() => {
    master.script = (command) => {
      if (!command.startsWith('@1 show map') && command !== 'show proc') return undefined;
      return say(master.answer(command).text, 'hang');
    };
  });

  it('a listing is complete although the master does not close the connection', async () => {
    const keys: string[] = [];
    const listing = new RuntimeMap({ socket, path }).runtimeMapKeys(within(60_000), (batch) => {
      keys.push(...batch.map((entry) => entry.key));
    });
    await expect(listing).resolves.toEqual({ count: 1 });
    expect(keys).toEqual(['192.0.2.1']);
  });

  it('the last replies are returned although the master does not close the connection', async () => {
    const conversation = await socket.converse(within(60_000));
    const [body] = await conversation.finish(['show proc']);
    expect(body).toContain('# workers');
  });

  it('a connection that the master does not close uses up no slot', async () => {
    for (let n = 0; n < 6; n += 1) {
      await (await socket.converse(within(60_000))).finish(['show proc']);
    }
  });
});
