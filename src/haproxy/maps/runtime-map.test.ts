import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { eventually, within } from '../../../testkit/conditions.ts';
import { hang, ScriptedMaster, say } from '../../../testkit/scripted-master.ts';
import { stopTime } from '../../../testkit/stop-time.ts';
import { Conversation } from '../socket/conversation.ts';
import { MasterSocket } from '../socket/master-socket.ts';
import {
  type EntryFailure,
  type GroupApplication,
  type GroupOutcome,
  type GroupRequest,
  RuntimeMap,
  RuntimeMapRejection,
} from './runtime-map.ts';
import { UnsafeArgumentError } from './runtime-map-commands.ts';

const MAP = '/etc/proxy/blocked_ips.map';
const [A, B, C] = ['192.0.2.1', '192.0.2.2', '192.0.2.3'] as const;
const NOT_FOUND = 'type=ip, case=sensitive, found=no';
const soon = (): number => within(60_000);
const current = { kind: 'current' } as const;

let folder: string;
let master: ScriptedMaster;
let socket: MasterSocket;
let map: RuntimeMap;
let failures: EntryFailure[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pm-'));
  master = new ScriptedMaster(join(folder, 'm.sock'), { [MAP]: [] });
  await master.listen();
  socket = new MasterSocket(master.path);
  failures = [];
  map = new RuntimeMap({ socket, path: MAP, onFailure: (failure) => failures.push(failure) });
});
afterEach(async () => {
  socket.close();
  await master.stop();
  await rm(folder, { recursive: true });
});

const on = (verb: string, behaviour: ReturnType<ScriptedMaster['script']>, from = 1): void => {
  let seen = 0;
  master.script = (command) => (command.includes(` ${verb} `) && ++seen >= from ? behaviour : undefined);
};

function change(request: Partial<GroupRequest & GroupApplication>): Promise<GroupOutcome> {
  const defaults = { worker: current, add: [], remove: [], processes: true };
  return map.changeGroup({ ...defaults, deadline: soon(), ...request });
}

describe('adding an address (rule 4)', () => {
  it('adding an address sends the commands of rule 1, rule 2 and rule 3', async () => {
    expect(await map.addIpToRuntimeMap(A, soon())).toBe(true);
    const get = `@1 get map ${MAP} ${A}`;
    expect(master.commands).toEqual([get, `@1 add map ${MAP} ${A} 1`, get]);
    expect(failures).toEqual([]);
  });

  it('adding is false when the reply is not empty, even if the address is then present', async () => {
    master.script = (command) => {
      if (!command.includes(' add ')) return undefined;
      master.answer(command);
      return say('Something unknown.\n\n');
    };
    expect(await map.addIpToRuntimeMap(A, soon())).toBe(false);
    expect(failures[0]).toMatchObject({ ip_address: A, reason: 'rejected', command: `@1 add map ${MAP} ${A} 1` });
    expect(failures[0]?.responses).toContain('Something unknown.');
  });

  it('adding is false when an empty reply changed nothing (rule 8)', async () => {
    on('add', say('\n'));
    expect(await map.addIpToRuntimeMap(A, soon())).toBe(false);
    expect(failures[0]).toMatchObject({ reason: 'read-back absent', responses: [NOT_FOUND, '', NOT_FOUND] });
  });

  it('adding is false when only a network that contains the address is found', async () => {
    master.map(MAP).add('192.0.2.0/24', '1');
    on('add', say('\n'));
    expect(await map.addIpToRuntimeMap(A, soon())).toBe(false);
    expect(failures[0]?.reason).toBe('read-back absent');
  });

  it('adding is false when the value stays wrong', async () => {
    master.map(MAP).add(A, '0');
    on('set', say('\n'));
    expect(await map.addIpToRuntimeMap(A, soon())).toBe(false);
    expect(failures[0]?.reason).toBe('wrong value');
  });

  it('adding sends no change after a reply that it cannot read', async () => {
    on('get', say('garbage\n\n'));
    expect(await map.addIpToRuntimeMap(A, soon())).toBe(false);
    expect(failures[0]).toMatchObject({ reason: 'unknown reply', responses: ['garbage'] });
    expect(master.commands.some((command) => command.includes(' add '))).toBe(false);
  });

  it.each([
    [say('', 'close'), 'cut-short'],
    [say('half', 'close'), 'cut-short'],
    [say('a\n\nb\n\n'), 'garbled'],
  ] as const)('adding is false when the connection fails at the read-back (%j)', async (behaviour, reason) => {
    on('get', behaviour, 2);
    expect(await map.addIpToRuntimeMap(A, soon())).toBe(false);
    expect(failures[0]?.reason).toBe(reason === 'garbled' ? 'unknown reply' : reason);
  });

  it('adding is false before its deadline when the proxy hangs', async () => {
    using time = stopTime();
    on('add', hang);
    const added = map.addIpToRuntimeMap(A, within(80));
    await eventually('it hangs', () => master.commands.some((command) => command.includes(' add ')));
    await time.pass(80);
    expect(await added).toBe(false);
    expect(failures[0]).toMatchObject({ reason: 'deadline', responses: [NOT_FOUND] });
  });

  it('adding is false without a socket', async () => {
    await master.stop();
    expect(await map.addIpToRuntimeMap(A, soon())).toBe(false);
    expect(failures[0]?.reason).toBe('missing');
  });
});

describe('removing an address (rule 5)', () => {
  it('removing is false on any reply other than an empty one and Key not found.', async () => {
    master.map(MAP).add(A, '1');
    on('del', say('Permission denied\n\n'));
    expect(await map.removeIpFromRuntimeMap(A, soon())).toBe(false);
    expect(failures[0]?.reason).toBe('rejected');
  });

  it('removing is false when the entry is still present', async () => {
    master.map(MAP).add(A, '1');
    on('del', say('\n'));
    expect(await map.removeIpFromRuntimeMap(A, soon())).toBe(false);
    expect(failures[0]?.reason).toBe('read-back present');
  });

  it('a removal without a socket is reported with the command that was to be sent', async () => {
    await master.stop();
    expect(await map.removeIpFromRuntimeMap(A, soon())).toBe(false);
    expect(failures).toMatchObject([{ ip_address: A, reason: 'missing', command: `@1 del map ${MAP} ${A}` }]);
    await master.listen();
  });

  it('removing is true when a network that contains the address is found instead', async () => {
    master.map(MAP).add('192.0.2.0/24', '1');
    master.map(MAP).add(A, '1');
    expect(await map.removeIpFromRuntimeMap(A, soon())).toBe(true);
  });
});

describe('a group', () => {
  it('a group changes nothing before it is applied', async () => {
    const group = map.lookUpGroup({ worker: current, add: [B, A], remove: [C], deadline: soon() });
    await eventually('both were looked up', () => master.commands.length === 2);
    expect(master.commands.every((command) => command.includes(' get '))).toBe(true);
    expect((await group.apply({ processes: true })).failures).toEqual([]);
  });

  it('an abandoned group changes no worker and gives its connection back, even when a lookup failed', async () => {
    const group = (): Promise<void> =>
      map.lookUpGroup({ worker: current, add: [A], remove: [B], deadline: soon() }).abandon();
    await group();
    expect(master.commands.every((command) => command.includes(' get '))).toBe(true);
    expect(socket.connections).toBe(0);
    await master.stop();
    await group();
    expect(socket.connections).toBe(0);
  });

  it('a group reports each address separately', async () => {
    master.script = (command) => (command === `@1 del map ${MAP} ${B}` ? say('No.\n\n') : undefined);
    master.map(MAP).add(B, '1');
    const outcome = await change({ add: [A], remove: [B, C] });
    expect(outcome.failures.map(({ ip_address, reason }) => [ip_address, reason])).toEqual([[B, 'rejected']]);
    expect(outcome.failures[0]?.worker).toBe(101);
  });

  it('a group on a lost connection confirms only what had been read back', async () => {
    on('get', say('', 'close'), 4);
    const outcome = await change({ add: [A, B] });
    expect(outcome.ended?.reason).toBe('cut-short');
    expect(outcome.processes).toBeNull();
    expect(outcome.failures.map(({ ip_address, reason }) => [ip_address, reason])).toEqual([[B, 'cut-short']]);
  });

  it('a group without its show proc reply is not complete', async () => {
    master.script = (command) => (command === 'show proc' ? say('nonsense\n\n') : undefined);
    const outcome = await change({ add: [A] });
    expect(outcome.ended).toMatchObject({ reason: 'garbled', responses: ['nonsense'] });
    expect(outcome).toMatchObject({ processes: null, failures: [] });
  });

  it.each([
    ['one address', [A]],
    ['several', [A, B, C]],
  ])('a group confirms nothing when an extra reply shifts the others: %s', async (_what, add) => {
    master.script = (command) => {
      if (!command.includes(' add ')) return undefined;
      return say(`${master.answer(command).text}\n`);
    };
    const outcome = await change({ add });
    expect(outcome.failures.map((failure) => failure.ip_address)).toContain(A);
    expect(outcome).toMatchObject({ processes: null, ended: { reason: 'garbled' } });
  });

  it('a group rejects another reply in place of show proc', async () => {
    on('get', say(`${NOT_FOUND}\n\n${NOT_FOUND}\n\n`), 2);
    const outcome = await change({ remove: [A, B] });
    expect(outcome).toMatchObject({ processes: null, ended: { reason: 'garbled' } });
  });

  it('a group corrects a wrong value that a more specific entry hides', async () => {
    for (const key of ['10.0.0.0/8', '10.0.0.0']) master.map(MAP).add(key, '0');
    expect((await change({ add: ['10.0.0.0/8'] })).failures).toEqual([]);
    expect(
      master
        .map(MAP)
        .live()
        .map((entry) => entry.value),
    ).toEqual(['1', '0']);
  });

  it('a group finds a hidden address with only one slot', async () => {
    master.map(MAP).add('10.0.0.0/24', '1');
    const narrow = new MasterSocket(master.path, { maxConnections: 2 });
    map = new RuntimeMap({ socket: narrow, path: MAP });
    expect(await change({ add: ['10.0.0.0/8'], deadline: soon() })).toMatchObject({ failures: [], ended: null });
    expect(narrow.connections).toBe(0);
    narrow.close();
  });

  it('a group reports a hidden address whose dump is truncated', async () => {
    for (const key of ['10.0.0.0/8', '10.0.0.0']) master.map(MAP).add(key, '1');
    on('show', say('0x1 10.0.0.', 'close'), 2);
    const outcome = await change({ add: ['10.0.0.0/8', A] });
    expect(outcome.ended?.reason).toBe('cut-short');
    expect(outcome.failures.map(({ ip_address, reason }) => [ip_address, reason])).toEqual([
      ['10.0.0.0/8', 'cut-short'],
    ]);
  });

  it('a rejected payload fails all its addresses', async () => {
    on('add', say('out of memory error.\n\n'));
    const outcome = await change({ add: [A, B] });
    expect(outcome.failures.map((failure) => failure.reason)).toEqual(['rejected', 'rejected']);
    expect(outcome.failures[1]?.responses).toEqual([NOT_FOUND, 'out of memory error.', NOT_FOUND]);
  });

  it('a group adds to a version under preparation too, and reports its failure', async () => {
    await map.prepare(current, soon());
    master.map(MAP).add(A, '1');
    expect((await change({ add: [A, B], pendingVersion: 1 })).failures).toEqual([]);
    expect(
      master
        .map(MAP)
        .entries.filter((entry) => entry.version === 1)
        .map((entry) => entry.key),
    ).toEqual([A, B]);
    const wrong = await change({ add: [C], pendingVersion: 7 });
    expect(wrong.failures.map((failure) => failure.reason)).toEqual(['rejected']);
  });

  it('a group refuses a duplicate address', async () => {
    await expect(change({ add: [A], remove: [A] })).rejects.toThrow('twice');
  });

  it.each(['', 'bad', '1.2.3.4 1', '1.2.3.4\nreload', '1.2.3.4;reload', '#1', 'fe80::1%eth0', '@1'])(
    'never sends %j in a command',
    async (text) => {
      await expect(change({ add: [text] })).rejects.toThrow(UnsafeArgumentError);
      await expect(map.runtimeMapLookup(text, soon())).rejects.toThrow(UnsafeArgumentError);
      await expect(map.deleteMany(current, [text], soon())).rejects.toThrow(UnsafeArgumentError);
      await expect(map.addMany(current, [text], soon())).rejects.toThrow(UnsafeArgumentError);
      expect(master.commands).toEqual([]);
      expect(socket.connections).toBe(0);
    },
  );
});

describe('a map', () => {
  it.each(['', 'relative.map', '/with blank.map', '/a;b', '/a\\b', '/a"b', '#1', '/a\nb'])(
    'refuses %j as the path of a map',
    (path) => {
      expect(() => new RuntimeMap({ socket, path })).toThrow(UnsafeArgumentError);
    },
  );

  it('a truncated or garbled dump of a map rejects', async () => {
    master.script = () => say('0x1 192.0.2.1 1\n', 'close');
    await expect(map.runtimeMapKeys(soon(), () => undefined)).rejects.toMatchObject({ reason: 'cut-short' });
    master.script = () => say('0x1 192.0.2.1 1\nnonsense\n\n');
    await expect(map.runtimeMapKeys(soon(), () => undefined)).rejects.toThrow(RuntimeMapRejection);
  });

  it('counts an entry once when the configuration uses the map in two types', async () => {
    const listing = `# id (file) description\n0 (${MAP}) pattern loaded from file '${MAP}' used by map at file 'c' line 1, by map at file 'c' line 2. curr_ver=3 next_ver=4 entry_cnt=14\n\n`;
    master.script = (command) => say(command.endsWith('show map') ? listing : `${NOT_FOUND}\n${NOT_FOUND}\n\n`);
    expect(await map.entryCount(soon())).toEqual({ entries: 7, currentVersion: 3, nextVersion: 4 });
  });

  it.each(['all', 'one'] as const)(
    'every key blocks at every moment while duplicates are removed (by key: %s)',
    async (byKey) => {
      master.map(MAP).byKey = byKey;
      for (const value of ['1', '0', '1', '0']) master.map(MAP).add(A, value);
      const lookups: string[] = [];
      master.script = (command) => {
        lookups.push(master.map(MAP).get(A));
        expect(command).not.toContain('clear');
        return undefined;
      };
      await map.changeElements(current, await map.duplicateChanges(current, [A], soon()), soon());
      expect(lookups.length).toBeGreaterThan(5);
      expect(lookups.every((reply) => reply.includes('value="1"'))).toBe(true);
      expect(master.map(MAP).live()).toMatchObject([{ key: A, value: '1' }]);
    },
  );

  it('all values of all keys are set before a duplicate is removed, from the end of the map', async () => {
    const B = '192.0.2.77';
    for (const [key, value] of [
      [A, '1'],
      [B, '1'],
      [A, '0'],
      [B, '0'],
    ] as const)
      master.map(MAP).add(key, value);
    const changes = await map.duplicateChanges(current, [A, B], soon());
    const [, , third, fourth] = master.map(MAP).live();
    expect(changes).toEqual([
      { key: B, element: fourth!.element, change: 'set' },
      { key: A, element: third!.element, change: 'set' },
      { key: B, element: fourth!.element, change: 'remove' },
      { key: A, element: third!.element, change: 'remove' },
    ]);
  });

  it('duplicates stay when a value cannot be set', async () => {
    for (const value of ['1', '0']) master.map(MAP).add(A, value);
    on('set', say('No.\n\n'));
    const changes = await map.duplicateChanges(current, [A], soon());
    await expect(map.changeElements(current, changes, soon())).rejects.toThrow('No.');
    expect(master.map(MAP).live()).toHaveLength(2);
  });

  it('an address is removed again until it is absent where a removal leaves duplicates', async () => {
    master.map(MAP).byKey = 'one';
    for (let n = 0; n < 4; n += 1) master.map(MAP).add(A, '1');
    expect(await map.removeIpFromRuntimeMap(A, soon())).toBe(true);
    expect(master.map(MAP).live()).toEqual([]);
  });

  it('an address that is present after four removals is reported', async () => {
    master.map(MAP).byKey = 'one';
    for (let n = 0; n < 5; n += 1) master.map(MAP).add(A, '1');
    expect(await map.removeIpFromRuntimeMap(A, soon())).toBe(false);
    expect(master.commands.filter((command) => command.includes(' del map '))).toHaveLength(4);
  });

  it('a commit of a version that is live already is rejected', async () => {
    await expect(map.commit(current, 0, soon())).rejects.toThrow('out of range');
  });

  it('no further command is sent after a rejection', async () => {
    const ips = Array.from({ length: 500 }, (_, i) => `10.0.${i >> 8}.${i & 255}`);
    on('del', say('No.\n\n'));
    await expect(map.deleteMany(current, ips, soon())).rejects.toMatchObject({ responses: ['No.'] });
    expect(master.commands.length).toBeLessThan(100);
  });

  describe('of a worker that takes lines', () => {
    const line = { kind: 'line', pid: 101 } as const;
    const ips = Array.from({ length: 500 }, (_, i) => `10.0.${i >> 8}.${i & 255}`);
    const sent = (verb: string): number =>
      master.commands.filter((command) => command.includes(` ${verb} map `)).length;
    beforeEach(() => {
      master.master.version = '3.2.26-1~deb13u1';
      for (const ip of ips) master.map(MAP).add(ip, '0');
    });

    it('many values are set, and many addresses removed, on one connection at a time', async () => {
      const finish = vi.spyOn(Conversation.prototype, 'finish');
      await map.setMany(line, ips, soon());
      expect(
        master
          .map(MAP)
          .live()
          .map(({ value }) => value),
      ).toEqual(ips.map(() => '1'));
      await map.deleteMany(line, [...ips, A], soon());
      expect(master.map(MAP).live()).toEqual([]);
      expect(finish.mock.calls.every(([commands, sentLast]) => commands.length === 0 && sentLast !== undefined)).toBe(
        true,
      );
      expect(finish.mock.calls.length).toBeLessThan(12);
      expect(master.peak).toBe(1);
      finish.mockRestore();
    });

    it('no further line is sent after a rejection', async () => {
      on('del', say('No.\n\n'), 3);
      await expect(map.deleteMany(line, ips, soon())).rejects.toMatchObject({ responses: ['', '', 'No.'] });
      expect(sent('del')).toBeLessThan(ips.length);
      await expect(map.setMany(line, [A, B], soon())).rejects.toThrow('entry not found.');
    });

    it('an unanswered removal is a failure that holds one connection', async () => {
      on('del', hang, 3);
      const failure = await map.deleteMany(line, ips, within(300)).catch((error: unknown) => error);
      expect(failure).toMatchObject({ reason: 'deadline', responses: ['', ''] });
      expect(socket.connections).toBe(1);
      await expect(map.deleteMany(line, ips, within(300))).rejects.toMatchObject({ reason: 'deadline' });
      expect([socket.connections, sent('del')]).toEqual([1, 3]);
    });

    it('a worker that is gone is reported', async () => {
      const gone = map.deleteMany({ kind: 'line', pid: 4_000_000 }, ips, soon());
      await expect(gone).rejects.toMatchObject({ reason: 'cut-short', partial: expect.stringContaining('target PID') });
    });
  });
});
