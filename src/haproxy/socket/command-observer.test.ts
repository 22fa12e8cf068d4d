import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually, within } from '../../../testkit/conditions.ts';
import { hang, ScriptedMaster, say } from '../../../testkit/scripted-master.ts';
import { stopTime } from '../../../testkit/stop-time.ts';
import { requestReload } from '../process/reload-triggers.ts';
import { commandNameOf } from './command-observer.ts';
import { PayloadCommand } from './conversation-command.ts';
import { MasterSocket } from './master-socket.ts';

const MAP = '/etc/proxy/blocked_ips.map';

describe('the name of a command', () => {
  it.each([
    [`@1 get map ${MAP} 192.0.2.1`, 'get map'],
    [`@!4711 add map @3 ${MAP} 192.0.2.1 1`, 'add map'],
    [new PayloadCommand(`@1 add map ${MAP}`, ['192.0.2.1 1']), 'add map'],
    [`@1 show map ${MAP}`, 'show map'],
    ['@1 show map', 'list maps'],
    ['show map', 'list maps'],
    ['show proc', 'show proc'],
    ['show stat -1 3 -1', 'show stat'],
    ['@1 show servers state', 'show servers state'],
    ['reload', 'reload'],
    ['@1', 'other'],
    ['@1 show errors', 'other'],
  ])('the command %j is counted as %j', (command, name) => expect(commandNameOf(command)).toBe(name));
});

describe('an observer of the master socket', () => {
  let folder: string;
  let master: ScriptedMaster;
  let socket: MasterSocket;
  let heard: string[];
  let took: number[];

  beforeEach(async () => {
    heard = [];
    took = [];
    folder = await mkdtemp(join(tmpdir(), 'pm-'));
    master = new ScriptedMaster(join(folder, 'm.sock'), { [MAP]: [] });
    await master.listen();
    socket = new MasterSocket(master.path, {
      observer: {
        answered: (command, milliseconds) => {
          took.push(milliseconds);
          heard.push(command);
        },
        failed: (command, reason) => heard.push(`${command}: ${reason}`),
      },
    });
  });
  afterEach(async () => {
    socket.close();
    await master.stop();
    await rm(folder, { recursive: true });
  });

  it('the observer is notified of every reply, stage by stage', async () => {
    const conversation = await socket.converse(within(60_000));
    await conversation.send([`@1 get map ${MAP} 192.0.2.1`]);
    await conversation.finish([`@1 add map ${MAP} 192.0.2.1 1`, `@1 get map ${MAP} 192.0.2.1`, 'show proc']);
    expect(heard).toEqual(['get map', 'add map', 'get map', 'show proc']);
  });

  it('the observer is notified of the reply to a reload on 3.0 and of none on 2.6', async () => {
    await requestReload(socket, within(60_000));
    master.script = () => say('Success=1\n', 'close');
    await requestReload(socket, within(60_000));
    expect(heard).toEqual(['reload: no-reply', 'reload']);
  });

  it('the observer gets the duration of a reply without pauses of the caller', async () => {
    using time = stopTime();
    const conversation = await socket.converse(within(60_000));
    master.script = () => ({ kind: 'wait', until: time.pass(40) });
    await conversation.send([`@1 get map ${MAP} 192.0.2.1`]);
    await time.pass(300);
    await conversation.finish([`@1 get map ${MAP} 192.0.2.1`, 'show proc']);
    expect(took).toEqual([40, 40, 40]);
  });

  it('the observer is notified of an unanswered command and its reason', async () => {
    using time = stopTime();
    master.script = (command) => (command.includes('get map') ? hang : undefined);
    const conversation = await socket.converse(within(60));
    const finished = expect(conversation.finish(['show proc', `@1 get map ${MAP} 192.0.2.1`])).rejects.toThrow();
    await eventually('one is answered, and the other asked', () => heard.length === 1 && master.commands.length === 2);
    await time.pass(60);
    await finished;
    expect(heard).toEqual(['show proc', 'get map: deadline']);
  });

  it('the observer is notified of a failed connection', async () => {
    await master.stop();
    await expect(socket.converse(within(60_000))).rejects.toThrow();
    expect(heard).toEqual([expect.stringMatching(/^connect: (refused|missing)$/)]);
  });
});
