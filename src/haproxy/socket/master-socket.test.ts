import { chmod, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually, settled, within } from '../../../testkit/conditions.ts';
import { hang, ScriptedMaster, say } from '../../../testkit/scripted-master.ts';
import { stopTime } from '../../../testkit/stop-time.ts';
import { requestReload } from '../process/reload-triggers.ts';
import { showProcesses } from '../process/workers.ts';
import { UnsafeCommandError } from './conversation-command.ts';
import { MasterSocket, MasterSocketError, type SocketFailureReason } from './master-socket.ts';

const MAP = '/etc/proxy/blocked_ips.map';
const GET = `@1 get map ${MAP} 192.0.2.1`;
const NOT_FOUND = 'type=ip, case=sensitive, found=no';
const soon = (): number => within(60_000);
const shortly = (): number => within(60);

let folder: string;
let master: ScriptedMaster;
let socket: MasterSocket;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pm-'));
  master = new ScriptedMaster(join(folder, 'm.sock'), { [MAP]: [] });
  await master.listen();
  socket = new MasterSocket(master.path);
});
afterEach(async () => {
  socket.close();
  await master.stop();
  await rm(folder, { recursive: true });
});

async function failure(work: Promise<unknown>): Promise<MasterSocketError> {
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(MasterSocketError);
  return error as MasterSocketError;
}

/** The failures of concurrent works at their deadline, which passes once the master has all these commands. */
async function timeUp(works: readonly (() => Promise<unknown>)[], ...asked: string[]): Promise<MasterSocketError[]> {
  using time = stopTime();
  const failures = Promise.all(works.map((work) => failure(work())));
  await eventually('they are asked', () => asked.every((command, index) => master.commands[index] === command));
  await settled();
  await time.pass(60);
  return await failures;
}

const ask = (command: string) => async () => (await socket.converse(shortly())).send([command]);

async function exchange(...commands: string[]): Promise<string[]> {
  return (await socket.converse(soon())).finish(commands);
}

async function change(...commands: string[]): Promise<string[]> {
  return (await socket.converse(soon(), { change: true })).finish(commands);
}

function longerThanASlice(): void {
  for (const until = performance.now() + 3; performance.now() < until; );
}

describe('a conversation', () => {
  it('a conversation returns one body per command, in stages, on one connection', async () => {
    const conversation = await socket.converse(soon());
    expect(await conversation.send([GET])).toEqual([NOT_FOUND]);
    expect(await conversation.send([])).toEqual([]);
    expect(await conversation.finish([`@1 add map ${MAP} 192.0.2.1 1`, GET])).toEqual([
      '',
      'type=ip, case=sensitive, found=yes, idx=tree, key="192.0.2.1", value="1", type="str"',
    ]);
    expect(master.peak).toBe(1);
    expect(socket.connections).toBe(0);
  });

  it('a conversation accepts a reply that came in time while this process was blocked', async () => {
    using time = stopTime();
    const conversation = await socket.converse(shortly());
    master.script = () => {
      // The answer goes out in this turn of the event loop; it is read after the next 150 ms.
      setImmediate(() => time.standStill(150));
      return undefined;
    };
    expect(await conversation.finish([GET])).toEqual([NOT_FOUND]);
  });

  it('a conversation sends nothing of a list with an unsafe command', async () => {
    const conversation = await socket.converse(soon());
    await expect(conversation.send([GET, `${GET}\nreload`])).rejects.toThrow(UnsafeCommandError);
    await conversation.finish([]);
    expect(master.commands).toEqual([]);
  });

  it('a conversation accepts one call at a time', async () => {
    const conversation = await socket.converse(soon());
    const first = conversation.send([GET]);
    await expect(conversation.send([GET])).rejects.toThrow('one call at a time');
    await first;
    conversation.close();
  });

  it('a conversation reads while it writes, many megabytes of both', async () => {
    const long = `0x1 ${'k'.repeat(900)} 1\n\n`;
    master.script = () => say(long);
    const commands = Array.from({ length: 10_000 }, () => `@1 show map ${'/m'.repeat(400)}`);
    expect(await exchange(...commands)).toHaveLength(10_000);
  });

  it('a conversation pauses reading while the sink of its lines is busy', async () => {
    for (let i = 0; i < 60_000; i++) master.map(MAP).add(`10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`, '1');
    const conversation = await socket.converse(soon());
    let busy = 0;
    let most = 0;
    let lines = 0;
    await conversation.streamLines(`@1 show map ${MAP}`, async (batch) => {
      most = Math.max(most, ++busy);
      await new Promise(setImmediate);
      lines += batch.length;
      busy -= 1;
    });
    expect({ most, lines }).toEqual({ most: 1, lines: 60_000 });
    await conversation.finish([]);
  });

  it.each([
    ['lets the event loop turn while it reads a long reply', {}, false],
    ['reads a long reply as it comes in a turn', { inTurn: true }, true],
    ['reads a long reply as it comes for a change', { change: true }, true],
  ])('a conversation %s', async (_, options, severalAtOnce) => {
    for (let i = 0; i < 60_000; i++) master.map(MAP).add(`10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`, '1');
    const conversation = await socket.converse(soon(), options);
    let turns = 0;
    let reading = true;
    const turn = (): void => {
      turns += 1;
      if (reading) setImmediate(turn);
    };
    setImmediate(turn);
    const ofTurn = new Map<number, number>();
    let lines = 0;
    await conversation.streamLines(`@1 show map ${MAP}`, (batch) => {
      ofTurn.set(turns, (ofTurn.get(turns) ?? 0) + 1);
      lines += batch.length;
      longerThanASlice();
    });
    reading = false;
    expect(lines).toBe(60_000);
    expect(Math.max(...ofTurn.values()) > 1).toBe(severalAtOnce);
    await conversation.finish([]);
  });

  const long = 'a line\n'.repeat(50_000);
  it.each([
    ['complete', `${long}\n`, 'hang', null],
    ['cut short', long, 'close', 'cut-short'],
    ['never complete', long, 'hang', 'deadline'],
  ] as const)('a long reply read in slices may be %s', async (_, text, then, reason) => {
    master.script = () => say(text, then);
    const conversation = await socket.converse(reason === 'deadline' ? within(200) : soon());
    let lines = 0;
    const read = conversation.streamLines('@1 a', (batch) => {
      lines += batch.length;
      longerThanASlice();
    });
    if (reason === null) await read;
    else await expect(read).rejects.toMatchObject({ reason });
    if (reason !== 'deadline') expect(lines).toBe(50_000);
    conversation.close();
  });

  it('a conversation may be closed between two slices of a reply', async () => {
    master.script = () => say(long, 'hang');
    const conversation = await socket.converse(soon());
    let closed = false;
    const read = conversation.streamLines('@1 a', () => {
      expect(closed).toBe(false);
      longerThanASlice();
      setImmediate(() => {
        closed = true;
        conversation.close();
      });
    });
    await expect(read).rejects.toMatchObject({ reason: 'reset' });
    await new Promise(setImmediate);
    expect(socket.connections).toBe(0);
  });

  it('a conversation passes the number of the command with its lines to the sink', async () => {
    master.script = (command) => say({ '@1 a': '1\n2\n\n', '@1 b': '\n', '@1 c': '3\n\n' }[command] ?? '');
    const conversation = await socket.converse(soon());
    const lines: string[] = [];
    await conversation.streamReplies(['@1 a', '@1 b', '@1 c'], (batch, reply) => {
      lines.push(...batch.map((line) => `${reply}: ${line}`));
    });
    expect(lines).toEqual(['0: 1', '0: 2', '2: 3']);
    conversation.close();
  });

  it('a conversation rejects with the error of the sink of its lines', async () => {
    master.map(MAP).add('192.0.2.1', '1');
    for (const reader of [
      () => {
        throw new Error('no more');
      },
      () => Promise.reject(new Error('no more')),
    ]) {
      const conversation = await socket.converse(soon());
      await expect(conversation.streamLines(`@1 show map ${MAP}`, reader)).rejects.toThrow('no more');
      expect(socket.connections).toBe(0);
    }
  });

  it('a failed conversation rejects with its reason and the bodies so far', async () => {
    const cases: [script: ReturnType<ScriptedMaster['script']>, reason: SocketFailureReason, partial: string][] = [
      [say('', 'close'), 'cut-short', ''],
      [say('half a li', 'close'), 'cut-short', 'half a li'],
      [say('a line\nhalf', 'close'), 'cut-short', 'a line\nhalf'],
      [hang, 'deadline', ''],
      [say('half', 'hang'), 'deadline', 'half'],
      [say('one\n\ntwo\n\n'), 'garbled', ''],
      [say('one\n\n\n'), 'garbled', ''],
      [
        say("Can't find the target PID matching the prefix '@!9'\n", 'hang'),
        'cut-short',
        "Can't find the target PID matching the prefix '@!9'\n",
      ],
      [say("Can't connect to the target CLI!\n", 'hang'), 'cut-short', "Can't connect to the target CLI!\n"],
    ];
    for (const [behaviour, reason, partial] of cases) {
      master.script = (command) => (command === 'show proc' ? behaviour : undefined);
      master.commands.length = 0;
      const finish = async (deadline: number) => (await socket.converse(deadline)).finish([GET, 'show proc']);
      const [error] =
        reason === 'deadline'
          ? await timeUp([() => finish(shortly())], GET, 'show proc')
          : [await failure(finish(soon()))];
      const responses = reason === 'garbled' ? [NOT_FOUND, 'one'] : [NOT_FOUND];
      expect(error).toMatchObject({ reason, responses, partial, command: 'show proc', path: master.path });
      // A held command is not sent again, so each case needs a master without one.
      master.script = () => undefined;
      master.dropConnections();
      await eventually('nothing is owed', () => socket.connections === 0);
    }
  });

  it('a conversation refuses an endless line and an endless reply', async () => {
    master.script = () => say('x'.repeat(400_000));
    expect((await failure(exchange(GET))).reason).toBe('garbled');
    master.script = () => say(`${'x'.repeat(1000)}\n`.repeat(10_000));
    expect((await failure(exchange(GET))).reason).toBe('garbled');
  });

  it('a conversation fails on data without a command', async () => {
    const conversation = await socket.converse(soon());
    await conversation.send([GET]);
    master.say('\n');
    await eventually('it is noticed', () => socket.connections === 0);
    expect((await failure(conversation.send([GET]))).reason).toBe('garbled');
  });

  it('a conversation that lost its connection between two stages rejects and sends nothing', async () => {
    const conversation = await socket.converse(soon());
    await conversation.send([GET]);
    master.dropConnections();
    await eventually('the place is free', () => socket.connections === 0);
    expect(await failure(conversation.send([GET]))).toMatchObject({ reason: 'no-reply', responses: [] });
    expect(master.commands).toHaveLength(1);
  });

  it('a conversation that exceeds its deadline has an unknown outcome', async () => {
    master.script = () => hang;
    const [error] = await timeUp([ask(GET)], GET);
    expect(error?.message).toContain('the outcome is unknown');
    expect(error?.message).toContain(GET);
  });
});

describe('the master socket', () => {
  it('a missing, refusing or unsafe socket fails before anything is sent', async () => {
    expect((await failure(new MasterSocket(join(folder, 'none')).converse(soon()))).reason).toBe('missing');
    await chmod(master.path, 0o666);
    expect((await failure(socket.converse(soon()))).reason).toBe('unsafe');
    await chmod(master.path, 0o600);
    await master.stop(true);
    expect((await failure(socket.converse(soon()))).reason).toBe('refused');
    expect(socket.connections).toBe(0);
  });

  it('a connection that closes at once or resets has no reply', async () => {
    master.welcome = 'close';
    expect((await failure(exchange(GET))).reason).toBe('no-reply');
    master.welcome = 'reset';
    expect((await failure(exchange(...Array<string>(20_000).fill(GET)))).reason).toBe('reset');
  });

  it('a single command returns everything up to the end, empty lines included', async () => {
    master.script = () => say('Success=1\n--\na log\n\nwith an empty line\n', 'close');
    expect(await socket.ask('reload', soon())).toBe('Success=1\n--\na log\n\nwith an empty line\n');
    master.script = () => say('', 'close');
    expect((await failure(socket.ask('reload', soon()))).reason).toBe('no-reply');
    expect(await requestReload(socket, soon())).toEqual({ kind: 'silent' });
  });

  it('the message that no worker serves is read at once, although the connection stays open', async () => {
    const words = "Can't find the target PID matching the prefix '@1'\n";
    master.script = () => say(words, 'hang');
    const error = await failure(socket.ask('@1 show servers state', soon()));
    expect(error).toMatchObject({ reason: 'cut-short', partial: words });
    // The master's own text may contain such a line.
    master.script = () => say(words, 'close');
    expect(await socket.ask('reload', soon())).toBe(words);
  });

  it('an unreadable reply to show proc is garbled', async () => {
    master.script = () => say('Unknown command\n\n');
    const error = await failure(showProcesses(socket, soon()));
    expect(error).toMatchObject({ reason: 'garbled', responses: ['Unknown command'] });
  });

  it('the master socket never exceeds its connections and serves waiting callers in order', async () => {
    // A slot is free only when the master has closed the connection, however long that takes.
    using _time = stopTime();
    await Promise.all(Array.from({ length: 30 }, () => exchange(GET)));
    expect(master.peak).toBe(3);
    expect(master.commands).toHaveLength(30);
  });

  it('the master socket reserves one connection', async () => {
    const held = await Promise.all([1, 2, 3].map(() => socket.converse(soon())));
    expect(await failure(socket.converse(shortly()))).toMatchObject({ reason: 'deadline', responses: [] });
    expect(await socket.ask('show proc', soon(), { reserved: true })).toContain('# workers');
    for (const conversation of held) conversation.close();
    expect(await exchange(GET)).toEqual([NOT_FOUND]);
  });

  it('a given-up command keeps its slot exactly as long as the master holds it', async () => {
    master.script = () => hang;
    const listing = 'show proc';
    for (const error of await timeUp(Array(8).fill(ask(listing)), listing, listing, listing)) {
      expect(error.reason).toBe('deadline');
    }
    expect(socket.connections).toBe(3);
    const asked = () => master.commands.filter((command) => command === listing).length;
    await eventually('one question is asked for all', () => asked() === 4);
    expect(master.peak).toBe(4);

    master.script = () => undefined;
    master.say('an answer\n\n');
    await eventually('the places are free again', () => socket.connections === 0);
    expect(asked()).toBe(4);
    expect(await exchange(GET)).toEqual([NOT_FOUND]);
  });

  it('a worker that does not reply holds one slot for the calls that read', async () => {
    const toTheHungOne = (n: number) => `@!101 get map ${MAP} 192.0.2.${n}`;
    master.script = (command) => (command.startsWith('@!101 ') ? hang : undefined);
    const failures = await timeUp(
      [1, 2].map((n) => ask(toTheHungOne(n))),
      toTheHungOne(1),
    );
    expect(failures.map(({ message }) => message.includes('nothing was sent'))).toEqual([false, true]);
    expect(socket.connections).toBe(1);
    expect(master.commands.filter((command) => command.startsWith('@!101 get'))).toEqual([toTheHungOne(1)]);
    expect(await exchange(GET)).toEqual([NOT_FOUND]);
  });

  it('a call to a worker that has not begun to reply is sent when it does', async () => {
    const toTheSlowOne = (n: number) => `@!101 get map ${MAP} 192.0.2.${n}`;
    const [first, second] = [toTheSlowOne(1), toTheSlowOne(2)];
    const { promise: until, resolve: replies } = Promise.withResolvers<void>();
    master.script = (command) => (command === first ? { kind: 'wait', until } : undefined);
    const slow = exchange(first);
    await eventually('the first is sent', () => master.commands.includes(first));
    const behind = exchange(second);
    expect(await exchange(GET)).toEqual([NOT_FOUND]);
    expect(master.commands).toEqual([first, GET]);
    replies();
    expect(await Promise.all([slow, behind])).toEqual([[NOT_FOUND], [NOT_FOUND]]);
    expect(master.commands).toEqual([first, GET, second]);
  });

  it('a commit that replies late delays no other call to its worker', async () => {
    const commit = `@1 commit map @3 ${MAP}`;
    master.script = (command) => (command === commit ? hang : undefined);
    const committed = failure(change(commit));
    await eventually('it is sent', () => master.commands.includes(commit));
    expect(await change(GET)).toEqual([NOT_FOUND]);
    expect(await exchange(GET)).toEqual([NOT_FOUND]);
    socket.close();
    await committed;
  });

  it('a change waits for an earlier one to the same worker, and not for a call that reads', async () => {
    const { promise: until, resolve: replies } = Promise.withResolvers<void>();
    const texts = ['192.0.2.2', '192.0.2.3', '192.0.2.4'].map((address) => `@1 get map ${MAP} ${address}`);
    const [read, first, second] = texts as [string, string, string];
    master.script = (command) => (command === read || command === first ? { kind: 'wait', until } : undefined);
    const sent = [exchange(read), change(first), change(second)];
    await eventually('the first change is sent', () => master.commands.includes(first));
    await settled();
    expect(master.commands).not.toContain(second);
    replies();
    expect(await Promise.all(sent)).toEqual(texts.map(() => [NOT_FOUND]));
  });

  it('the slots of given-up commands are freed when the master re-executes itself', async () => {
    master.script = () => hang;
    await timeUp([ask(GET)], GET);
    expect(socket.connections).toBe(1);
    await eventually('the question was asked', () => master.commands.includes('@1 show map'));
    master.dropConnections();
    await eventually('the place is free again', () => socket.connections === 0);
  });

  it('a target with an unanswered command gets no further one, while others continue', async () => {
    master.script = (command) => (command.startsWith('@!101 ') ? hang : undefined);
    const toTheHungOne = `@!101 get map ${MAP} 192.0.2.1`;
    await timeUp([ask(toTheHungOne)], toTheHungOne);
    for (let count = 0; count < 5; count += 1) {
      const error = await failure(exchange(toTheHungOne));
      expect(error).toMatchObject({ reason: 'deadline', message: expect.stringContaining('nothing was sent') });
    }
    expect(socket.connections).toBe(1);
    expect(master.commands.filter((command) => command === toTheHungOne)).toHaveLength(1);
    expect(await exchange(GET)).toEqual([NOT_FOUND]);
    expect(await exchange('show proc')).toHaveLength(1);
  });

  it('a master with an unanswered command gets no further one, for any worker', async () => {
    master.script = () => hang;
    await timeUp([ask('show proc')], 'show proc');
    expect((await failure(exchange(GET))).message).toContain('nothing was sent');
  });

  it('a socket recreated at its path has no unanswered commands', async () => {
    master.script = () => hang;
    await timeUp([ask(GET)], GET);
    expect(socket.connections).toBe(1);
    await eventually('the question was asked', () => master.commands.includes('@1 show map'));
    await rename(master.path, `${master.path}.old`);
    const recreated = new ScriptedMaster(master.path, { [MAP]: [] });
    await recreated.listen();
    expect(await exchange(GET)).toEqual([NOT_FOUND]);
    expect(socket.connections).toBe(0);
    expect(recreated.commands).toEqual([GET]);
    await recreated.stop();
  });

  it('a call to a recreated socket does not wait for a reply to the old one', async () => {
    master.script = () => hang;
    const old = failure(exchange(GET));
    await eventually('it is sent', () => master.commands.includes(GET));
    await rename(master.path, `${master.path}.old`);
    const recreated = new ScriptedMaster(master.path, { [MAP]: [] });
    await recreated.listen();
    expect(await exchange(GET)).toEqual([NOT_FOUND]);
    socket.close();
    await old;
    await recreated.stop();
  });

  it('the master socket sends nothing after the deadline', async () => {
    const error = await failure(socket.ask('reload', performance.now()));
    expect(error).toMatchObject({ reason: 'deadline', message: expect.stringContaining('nothing was sent') });
    expect(master.commands).toEqual([]);
    expect(socket.connections).toBe(0);
  });

  it('the master socket accepts an infinite deadline', async () => {
    expect(await (await socket.converse(Number.POSITIVE_INFINITY)).finish([GET])).toEqual([NOT_FOUND]);
  });

  it('waiting for one of the ten connections of the master ends at the deadline', async () => {
    master.maxConnections = 0;
    const [error] = await timeUp([ask(GET)]);
    expect(error?.reason).toBe('deadline');
  });
});
