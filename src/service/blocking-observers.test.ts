// What the parts report to observers, with a scripted master.
import { appendFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { caller, entryOf, toBlock } from '../../testkit/blocking.ts';
import { eventually, within } from '../../testkit/conditions.ts';
import { openScriptedBlocking, type ScriptedBlocking } from '../../testkit/scripted-blocking.ts';
import { showProcesses } from '../haproxy/process/workers.ts';

let scripted: ScriptedBlocking;
let reported: string[];

beforeEach(async () => {
  reported = [];
  scripted = await openScriptedBlocking({
    observers: {
      drift: {
        compared: (map, result) => reported.push(`${map} ${result}`),
        seen: (map, kind, entries) => reported.push(`${map} seen ${kind} ${entries}`),
        repaired: (map, kind, entries) => reported.push(`${map} repaired ${kind} ${entries}`),
        fileRepaired: (map) => reported.push(`${map} file`),
      },
      groupEnded: (changes, milliseconds) => {
        expect(milliseconds).toBeGreaterThanOrEqual(0);
        reported.push(`group of ${changes}`);
      },
    },
  });
});
afterEach(() => scripted.close());

const ensure = async () => {
  const { kit, master } = scripted;
  kit.registry.observe(await showProcesses(kit.socket, within(60_000)));
  await kit.workers.sync(kit.blocked, master.current.pid);
};

describe('the parts report', () => {
  it('the number of changes of each group, successful or not', async () => {
    const { kit } = scripted;
    await kit.blockedSet.batch(
      {
        add: ['192.0.2.1', '192.0.2.2'].map((text, index) => ({ index, request: toBlock(text) })),
        remove: [],
        rejected: [],
      },
      caller(),
    );
    await kit.blockedSet.unblock(entryOf('192.0.2.1'), caller());
    expect(reported).toEqual(['group of 2', 'group of 1']);
    reported.length = 0;
    await kit.database.close();
    await expect(kit.blockedSet.block(toBlock('192.0.2.3'), caller())).rejects.toThrow();
    expect(reported).toEqual(['group of 1']);
  });

  it('the drift of a worker by kind, and its repair', async () => {
    const { kit, master } = scripted;
    for (let n = 1; n <= 5; n += 1) await kit.blockedSet.block(toBlock(`192.0.2.${n}`), caller());
    await ensure();
    reported.length = 0;
    const map = master.map(kit.mapPath);
    map.del('192.0.2.1');
    map.del('192.0.2.2');
    map.set('192.0.2.3', '0');
    map.add('192.0.2.4', '1');
    map.add('203.0.113.1', '1');
    await ensure();
    expect(reported.toSorted()).toEqual([
      'blocked repaired duplicate 1',
      'blocked repaired missing 2',
      'blocked repaired unexpected 1',
      'blocked repaired wrong_value 1',
      'blocked seen duplicate 1',
      'blocked seen missing 2',
      'blocked seen unexpected 1',
      'blocked seen wrong_value 1',
      'blocked whole',
    ]);
  });

  it('a worker that does not answer', async () => {
    await ensure();
    reported.length = 0;
    const { kit, master } = scripted;
    const { pid } = master.current;
    await master.stop();
    await kit.workers.sync(kit.blocked, pid);
    expect(reported).toEqual(['blocked unreadable']);
  });

  it('of a map file that another process changed, not of one that the service could not write', async () => {
    const { kit } = scripted;
    await kit.reconciler.check(false);
    reported.length = 0;
    kit.keeper.markStale('the disk was full');
    await kit.reconciler.check(false);
    expect(kit.keeper.problem).toBeNull();
    expect(reported).not.toContain('blocked file');
    await appendFile(kit.mapPath, '203.0.113.9 1\n');
    await kit.reconciler.check(false);
    expect(reported).toContain('blocked file');
    reported.length = 0;
    await kit.reconciler.check(false);
    expect(reported).not.toContain('blocked file');
  });

  it('of expired entries as one operation', async () => {
    const { kit, time } = scripted;
    await kit.blockedSet.block(
      toBlock('192.0.2.1', { expiry: { kind: 'at', at: new Date(Date.now() + 50) } }),
      caller(),
    );
    await time.pass(51);
    kit.expiry.start();
    const expired = () => kit.events.filter(({ type }) => type === 'entry.expired').map(({ data }) => data);
    await eventually('it has expired', () => expired().length > 0);
    expect(expired()).toEqual([{ ip_address: '192.0.2.1', runtime_map_updated: true }]);
    expect(kit.lines).toContainEqual({
      level: 'info',
      message: 'Operation done',
      fields: expect.objectContaining({ operation: 'expire', count: 1, ip_addresses: ['192.0.2.1'] }),
    });
  });
});
