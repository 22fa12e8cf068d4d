// What the service relies on in a master and its workers; runs on the scripted master and on every real proxy.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RuntimeMap, RuntimeMapRejection } from '../src/haproxy/maps/runtime-map.ts';
import { showProcesses } from '../src/haproxy/process/workers.ts';
import type { MasterSocket } from '../src/haproxy/socket/master-socket.ts';
import type { MapEntry } from '../src/haproxy/socket/replies.ts';
import { patienceMs, within } from './conditions.ts';

export interface MasterSubject {
  readonly socket: MasterSocket;
  readonly mapPath: string;
  /** Starts a new worker with the file's map (still empty), and keeps the old one draining. */
  drain(): Promise<{ draining: number; current: number }>;
  stop(): Promise<void>;
}

/** @param takesLines its master takes a line of commands for a worker */
export function masterContract(name: string, takesLines: boolean, start: () => Promise<MasterSubject>): void {
  describe(`the contract of a master, kept by ${name}`, () => {
    let subject: MasterSubject;
    let map: RuntimeMap;
    const soon = (): number => within(patienceMs);
    const current = { kind: 'current' } as const;

    beforeEach(async () => {
      subject = await start();
      map = new RuntimeMap({ socket: subject.socket, path: subject.mapPath });
    });
    afterEach(() => subject.stop());

    async function entries(pid?: number): Promise<MapEntry[]> {
      const all: MapEntry[] = [];
      const worker = pid === undefined ? current : ({ kind: 'pid', pid } as const);
      await map.runtimeMapKeys(soon(), (batch) => void all.push(...batch), worker);
      return all;
    }

    async function raw(...commands: string[]): Promise<string[]> {
      return (await subject.socket.converse(soon())).finish(commands);
    }

    it('adds, finds and removes an address', async () => {
      expect(await map.addIpToRuntimeMap('192.0.2.1', soon())).toBe(true);
      expect(await map.runtimeMapLookup('192.0.2.1', soon())).toEqual({ key: '192.0.2.1', value: '1' });
      expect(await map.removeIpFromRuntimeMap('192.0.2.1', soon())).toBe(true);
      expect(await map.runtimeMapLookup('192.0.2.1', soon())).toBeNull();
    });

    it('counts the absence of what is to be removed as success', async () => {
      expect(await map.removeIpFromRuntimeMap('192.0.2.9', soon())).toBe(true);
    });

    it('stores an address once however often it is added', async () => {
      for (let i = 0; i < 3; i++) expect(await map.addIpToRuntimeMap('192.0.2.1', soon())).toBe(true);
      expect(await entries()).toEqual([{ key: '192.0.2.1', value: '1' }]);
    });

    it('answers a lookup with the network around the address', async () => {
      await map.addIpToRuntimeMap('10.0.0.0/8', soon());
      expect(await map.runtimeMapLookup('10.1.2.3', soon())).toEqual({ key: '10.0.0.0/8', value: '1' });
    });

    it('adds an address inside a blocked network, and leaves the network when it is removed', async () => {
      await map.addIpToRuntimeMap('10.0.0.0/8', soon());
      expect(await map.addIpToRuntimeMap('10.0.0.1', soon())).toBe(true);
      expect(await map.removeIpFromRuntimeMap('10.0.0.1', soon())).toBe(true);
      expect(await entries()).toEqual([{ key: '10.0.0.0/8', value: '1' }]);
    });

    it('repairs a wrong value instead of adding the address twice', async () => {
      await raw(`@1 add map ${subject.mapPath} 192.0.2.1 0`);
      expect(await map.addIpToRuntimeMap('192.0.2.1', soon())).toBe(true);
      expect(await entries()).toEqual([{ key: '192.0.2.1', value: '1' }]);
    });

    describe('with a value for each key', () => {
      const wanted = new Map([
        ['10.0.0.0/8', '1'],
        ['192.0.2.1', '21'],
        ['2001:db8::/32', '9'],
      ]);
      const all = [...wanted].map(([key, value]) => ({ key, value }));
      const texts = [...wanted.keys()];
      let valued: RuntimeMap;
      beforeEach(() => {
        const { socket, mapPath: path } = subject;
        valued = new RuntimeMap({ socket, path, valueFor: (key) => wanted.get(key) ?? '0' });
      });
      const group = () =>
        valued.changeGroup({ worker: current, add: texts, remove: [], processes: true, deadline: soon() });

      it('adds each key with its value, one by one and by payload', async () => {
        expect(await valued.addIpToRuntimeMap('192.0.2.1', soon())).toBe(true);
        expect(await group()).toMatchObject({ failures: [], ended: null, alreadyThere: 1 });
        expect(await entries()).toHaveLength(3);
        expect(await entries()).toEqual(expect.arrayContaining(all));
      });

      it('sets the value of a key that has another one, also when a narrower entry hides it', async () => {
        await raw(...texts.map((key) => `@1 add map ${subject.mapPath} ${key} 2`));
        await raw(`@1 add map ${subject.mapPath} 10.0.0.0/16 1`);
        expect(await group()).toMatchObject({ failures: [], ended: null, alreadyThere: 0 });
        expect(await entries()).toHaveLength(4);
        expect(await entries()).toEqual(expect.arrayContaining(all));
      });

      it('does not take the value 1 for the right one', async () => {
        await raw(`@1 add map ${subject.mapPath} 192.0.2.1 1`);
        expect(await valued.addIpToRuntimeMap('192.0.2.1', soon())).toBe(true);
        expect(await entries()).toEqual([{ key: '192.0.2.1', value: '21' }]);
      });

      it('sets the values of many keys', async () => {
        await raw(...texts.map((key) => `@1 add map ${subject.mapPath} ${key} 2`));
        await valued.setMany(current, texts, soon());
        expect(await entries()).toHaveLength(3);
        expect(await entries()).toEqual(expect.arrayContaining(all));
      });

      it('leaves one of the duplicates of a key, with its value', async () => {
        await raw(...['1', '21', '0'].map((value) => `@1 add map ${subject.mapPath} 192.0.2.1 ${value}`));
        await valued.changeElements(current, await valued.duplicateChanges(current, ['192.0.2.1'], soon()), soon());
        expect(await entries()).toEqual([{ key: '192.0.2.1', value: '21' }]);
      });
    });

    it.each([
      ['2001:db8::/32', '2001:db8::/48'],
      ['2001:db8::/32', '2001:db8::'],
      ['10.0.0.0/8', '10.0.0.0/16'],
      ['10.0.0.0/8', '10.0.0.0'],
      ['192.0.2.1', '192.0.2.1/32'],
    ])('sees %s although %s hides it from a lookup', async (network, hiding) => {
      await map.addMany(current, [hiding], soon());
      expect(await map.addIpToRuntimeMap(network, soon())).toBe(true);
      expect(await map.addIpToRuntimeMap(network, soon())).toBe(true);
      expect((await entries()).map((entry) => entry.key)).toEqual([hiding, network]);
      expect(await map.removeIpFromRuntimeMap(network, soon())).toBe(true);
      expect((await entries()).map((entry) => entry.key)).toEqual([hiding]);
    });

    it('reads an IPv6 network back', async () => {
      expect(await map.addIpToRuntimeMap('2001:db8::/32', soon())).toBe(true);
      expect(await map.runtimeMapLookup('2001:db8::5', soon())).toEqual({ key: '2001:db8::/32', value: '1' });
      expect(await map.removeIpFromRuntimeMap('2001:db8::/32', soon())).toBe(true);
      expect(await entries()).toEqual([]);
    });

    it.each(['192.0.2.1', '2001:db8::1', '10.0.0.0/8', '2001:db8::/32'])(
      'leaves one of the duplicates of %s, with the right value',
      async (ip) => {
        await raw(`@1 add map ${subject.mapPath} ${ip} 1`, `@1 add map ${subject.mapPath} ${ip} 0`);
        expect(await entries()).toHaveLength(2);
        await map.changeElements(current, await map.duplicateChanges(current, [ip], soon()), soon());
        expect(await entries()).toEqual([{ key: ip, value: '1' }]);
      },
    );

    it('takes it for done when the duplicates are gone already', async () => {
      const { mapPath } = subject;
      await raw(`@1 add map ${mapPath} 192.0.2.1 1`, `@1 add map ${mapPath} 192.0.2.1 0`);
      const changes = await map.duplicateChanges(current, ['192.0.2.1'], soon());
      expect(changes.map(({ change }) => change)).toEqual(['set', 'remove']);
      await raw(`@1 del map ${mapPath} #${changes[0]?.element}`);
      await map.changeElements(current, changes, soon());
      expect(await entries()).toEqual([{ key: '192.0.2.1', value: '1' }]);
    });

    it('changes and proves a whole group on one connection, the processes included', async () => {
      await map.addMany(current, ['192.0.2.1', '192.0.2.2'], soon());
      const outcome = await map.changeGroup({
        worker: current,
        add: ['192.0.2.1', '198.51.100.1', '198.51.100.0/24', '2001:db8::1'],
        remove: ['192.0.2.2', '192.0.2.3'],
        processes: true,
        deadline: soon(),
      });
      expect(outcome).toMatchObject({ failures: [], ended: null, workerGone: false, alreadyThere: 1 });
      expect(outcome.processes?.current).toHaveLength(1);
      const keys = (await entries()).map((entry) => entry.key);
      expect(keys.sort()).toEqual(['192.0.2.1', '198.51.100.0/24', '198.51.100.1', '2001:db8::1']);
    });

    it('changes nothing for an abandoned group', async () => {
      await map.addMany(current, ['192.0.2.9'], soon());
      const group = map.lookUpGroup({ worker: current, add: ['192.0.2.1'], remove: ['192.0.2.9'], deadline: soon() });
      await group.abandon();
      expect(await entries()).toEqual(['192.0.2.9'].map((key) => ({ key, value: '1' })));
      expect(subject.socket.connections).toBe(0);
    });

    const inLine = async () => {
      const { current: workers, draining } = await showProcesses(subject.socket, soon());
      const line = (pid = 0) => ({ kind: 'line', pid }) as const;
      return { current: line(workers[0]?.pid), draining: line(draining[0]?.pid) };
    };

    const itInLines = takesLines ? it : () => undefined;

    itInLines('changes and verifies a group in lines, longer than one line', async () => {
      const removed = Array.from({ length: 250 }, (_, i) => `192.0.2.${i}`);
      const added = Array.from({ length: 400 }, (_, i) => `10.0.${i >> 8}.${i & 255}`);
      await map.addMany(current, [...removed, '10.0.0.7', '198.51.100.0/25'], soon());
      const outcome = await map.changeGroup({
        worker: (await inLine()).current,
        add: [...added, '198.51.100.0/24', '2001:db8::/32'],
        remove: [...removed, '203.0.113.1'],
        processes: true,
        deadline: soon(),
      });
      expect(outcome).toMatchObject({ failures: [], ended: null, workerGone: false, alreadyThere: 1 });
      expect(outcome.processes?.current).toHaveLength(1);
      expect(outcome.removed.length).toBe(removed.length);
      const keys = (await entries()).map((entry) => entry.key);
      expect(keys.sort()).toEqual([...added, '198.51.100.0/24', '198.51.100.0/25', '2001:db8::/32'].sort());
    });

    itInLines('changes a draining worker in lines, and reports that a worker is gone', async () => {
      await map.addMany(current, ['192.0.2.1'], soon());
      const pids = await subject.drain();
      const group = { add: ['192.0.2.2'], remove: ['192.0.2.1'], processes: true };
      const { draining } = await inLine();
      expect((await map.changeGroup({ ...group, worker: draining, deadline: soon() })).failures).toEqual([]);
      expect(await entries(pids.draining)).toEqual([{ key: '192.0.2.2', value: '1' }]);
      expect(await entries()).toEqual([]);
      const gone = await map.changeGroup({ ...group, worker: { kind: 'line', pid: 4_000_000 }, deadline: soon() });
      expect(gone).toMatchObject({
        workerGone: true,
        failures: [{ reason: 'worker gone' }, { reason: 'worker gone' }],
      });
    });

    it('answers thousands of lookups on one connection', async () => {
      await map.addMany(current, ['10.0.0.0/8'], soon());
      const command = (i: number): string =>
        `@1 get map ${subject.mapPath} ${i % 2 === 0 ? '10' : '11'}.0.0.${i % 250}`;
      const bodies = await raw(...Array.from({ length: 3000 }, (_, i) => command(i)));
      expect(bodies).toHaveLength(3000);
      expect(bodies.every((body, i) => body.includes('found=yes') === (i % 2 === 0))).toBe(true);
    });

    it('takes many addresses by payload', async () => {
      const ips = Array.from({ length: 5000 }, (_, i) => `10.0.${i >> 8}.${i & 255}`);
      await map.addMany(current, ips, soon());
      expect((await map.entryCount(soon())).entries).toBe(5000);
      await map.deleteMany(current, [...ips.slice(0, 4000), '192.0.2.77'], soon());
      expect((await entries()).map((entry) => entry.key)).toEqual(ips.slice(4000));
    });

    it('stops a payload at the first bad line and keeps the earlier ones', async () => {
      const bodies = await raw(`@1 add map ${subject.mapPath} bad 1`, `@1 get map ${subject.mapPath} 192.0.2.1`);
      expect(bodies[0]).toContain('is not a valid IPv4 or IPv6 address');
    });

    it('replaces the whole map by a prepared version, unseen before its commit', async () => {
      await map.addMany(current, ['192.0.2.1'], soon());
      const { current: workers } = await showProcesses(subject.socket, soon());
      const worker = { kind: 'pid', pid: workers[0]?.pid ?? 0 } as const;
      const version = await map.prepare(worker, soon());
      await map.addMany(worker, ['198.51.100.1', '198.51.100.2'], soon(), version);
      expect(await map.runtimeMapKeys(soon(), () => undefined, worker, version)).toEqual({ count: 2 });
      expect((await entries()).map((entry) => entry.key)).toEqual(['192.0.2.1']);
      const outcome = await map.changeGroup({
        worker,
        add: ['203.0.113.1'],
        remove: ['192.0.2.1'],
        processes: false,
        deadline: soon(),
        pendingVersion: version,
      });
      expect(outcome.failures).toEqual([]);
      expect((await entries()).map((entry) => entry.key)).toEqual(['203.0.113.1']);
      await map.commit(worker, version, soon());
      expect((await entries()).map((entry) => entry.key)).toEqual(['198.51.100.1', '198.51.100.2', '203.0.113.1']);
      await expect(map.commit(worker, version, soon())).rejects.toThrow('Version number out of range');
    });

    it('rejects with all bodies when HAProxy says no', async () => {
      const strange = new RuntimeMap({ socket: subject.socket, path: '/no/such.map' });
      const failure = await strange.addMany(current, ['192.0.2.1'], soon()).catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(RuntimeMapRejection);
      expect((failure as RuntimeMapRejection).responses).toEqual([
        'Unknown map identifier. Please use #<id> or <file>.',
      ]);
      await expect(strange.runtimeMapKeys(soon(), () => undefined)).rejects.toThrow('Unknown map identifier');
      await expect(strange.entryCount(soon())).rejects.toThrow('it has not loaded /no/such.map');
      await expect(map.setMany(current, ['192.0.2.1'], soon())).rejects.toThrow('entry not found.');
      expect(await strange.addIpToRuntimeMap('192.0.2.1', soon())).toBe(false);
    });

    it('reaches a draining worker by its pid, with its own copy of the map', async () => {
      await map.addMany(current, ['192.0.2.1'], soon());
      const pids = await subject.drain();
      const processes = await showProcesses(subject.socket, soon());
      expect(processes.current.map((worker) => worker.pid)).toEqual([pids.current]);
      expect(processes.draining.map((worker) => worker.pid)).toEqual([pids.draining]);
      const outcome = await map.changeGroup({
        worker: { kind: 'pid', pid: pids.draining },
        add: ['192.0.2.2'],
        remove: ['192.0.2.1'],
        processes: true,
        deadline: soon(),
      });
      expect(outcome.failures).toEqual([]);
      expect(await entries(pids.draining)).toEqual([{ key: '192.0.2.2', value: '1' }]);
      expect(await entries()).toEqual([]);
    });

    it('reports that a worker is gone', async () => {
      const outcome = await map.changeGroup({
        worker: { kind: 'pid', pid: 4_000_000 },
        add: ['192.0.2.1'],
        remove: ['192.0.2.2'],
        processes: true,
        deadline: soon(),
      });
      expect(outcome.workerGone).toBe(true);
      expect(outcome.failures.map((failure) => failure.reason)).toEqual(['worker gone', 'worker gone']);
      expect(outcome.ended?.reason).toBe('cut-short');
    });
  });
}
