import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect } from 'vitest';
import { caller, entryOf, toBlock } from '../../testkit/blocking.ts';
import { eventually } from '../../testkit/conditions.ts';
import { itScripted as it } from '../../testkit/scripted-blocking.ts';
import { hang } from '../../testkit/scripted-master.ts';
import { MasterSocketError } from '../haproxy/socket/master-socket.ts';

describe('many simultaneous checks', () => {
  it('do not delay a block with a slow master', async ({ master, kit, time }) => {
    // 300 lookups at 10 ms take longer than the slots allow, unless they wait for each other.
    master.script = () => ({ kind: 'wait', until: pause(10) });
    let answered = 0;
    const check = async (n: number): Promise<void> => {
      await kit.blockedSet.check(entryOf(`8.8.${n >> 8}.${n & 255}`));
      answered += 1;
    };
    const checks = Array.from({ length: 1_000 }, (_, n) => check(n));
    await time.during(eventually('some are answered, and the others wait', () => answered >= 10));
    const before = answered;
    expect(before).toBeLessThan(100);
    const { answer } = await time.during(kit.blockedSet.block(toBlock('9.9.9.9'), caller()));
    expect(answer).toMatchObject({ runtime_map_updated: true, reload_scheduled: false });
    expect(answered - before).toBeLessThan(100);
    await time.during(Promise.all(checks));
  });

  it('do not hide that the master answers again', async ({ master, kit, time }) => {
    master.script = () => ({ kind: 'wait', until: pause(25) });
    let asking = true;
    const ask = async (n: number): Promise<void> => {
      while (asking) {
        await kit.blockedSet.check(entryOf(`8.8.${n >> 8}.${n & 255}`));
        await pause(0);
      }
    };
    const readers = Array.from({ length: 300 }, async (_, n) => {
      await pause(n);
      await ask(n);
    });
    await time.during(pause(300));
    kit.link.markDown(new MasterSocketError('deadline', { path: master.path, command: '@1 get map x 192.0.2.1' }));
    const began = performance.now();
    await time.during(eventually('it is up again', () => kit.link.state.up));
    expect(performance.now() - began).toBeLessThan(5_000);
    const whole = kit.workers.sync(kit.blocked, master.current.pid);
    expect(await time.during(whole)).toMatchObject({ inSync: true });
    asking = false;
    await time.during(Promise.all(readers));
  });

  it('leave connections for other workers if a draining one hangs', async ({ master, kit, time }) => {
    const draining = master.current;
    master.reload();
    await kit.reconciler.check(true);
    master.script = (command) => (command.startsWith(`@!${draining.pid} `) ? hang : undefined);
    const checks = Array.from({ length: 10 }, (_, n) => kit.blockedSet.check(entryOf(`8.8.8.${n}`)));
    const answers = await time.during(Promise.all(checks));
    expect(answers.map(({ enforced }) => enforced)).toEqual(answers.map(() => null));
    const { answer } = await time.during(kit.blockedSet.block(toBlock('9.9.9.9'), caller()));
    expect(answer.runtime_map_failures.map(({ worker }) => worker)).toEqual([draining.pid]);
    expect(answer.reload_scheduled).toBe(false);
    expect(master.map(kit.mapPath).entries.map(({ key }) => key)).toEqual(['9.9.9.9']);
  });
});
