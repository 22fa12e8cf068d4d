import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type BlockingKit, caller, entryOf, toBlock } from '../../testkit/blocking.ts';
import { eventually } from '../../testkit/conditions.ts';
import { openScriptedBlocking } from '../../testkit/scripted-blocking.ts';
import { hang, type ScriptedMaster } from '../../testkit/scripted-master.ts';

describe('many who ask about addresses', () => {
  let close: () => Promise<void>;
  let master: ScriptedMaster;
  let kit: BlockingKit;

  beforeEach(async () => {
    ({ master, kit, close } = await openScriptedBlocking());
    await kit.reconciler.look(true);
  });
  afterEach(async () => {
    await close();
  });

  it('do not keep a block from being enforced where the master is slow', async () => {
    // Each answer takes 10 ms: so many checks are seconds of work for the places there are.
    master.script = () => ({ kind: 'wait', until: pause(10) });
    const before = master.commands.length;
    const checks = Array.from({ length: 1_000 }, (_, n) => kit.blockedSet.check(entryOf(`8.8.${n >> 8}.${n & 255}`)));
    await eventually('they are asked', () => master.commands.length > before + 2);
    const { answer } = await kit.blockedSet.block(toBlock('9.9.9.9'), caller());
    expect(answer).toMatchObject({ runtime_map_updated: true, reload_scheduled: false });
    await Promise.all(checks);
  });

  it('leave the other workers their connections where a draining one hangs', async () => {
    const draining = master.current;
    master.reload();
    await kit.reconciler.look(true);
    master.script = (command) => (command.startsWith(`@!${draining.pid} `) ? hang : undefined);
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, n) => kit.blockedSet.check(entryOf(`8.8.8.${n}`))),
    );
    expect(answers.map(({ enforced }) => enforced)).toEqual(answers.map(() => null));
    const { answer } = await kit.blockedSet.block(toBlock('9.9.9.9'), caller());
    expect(answer.runtime_map_failures.map(({ worker }) => worker)).toEqual([draining.pid]);
    expect(answer.reload_scheduled).toBe(false);
    expect(master.map(kit.mapPath).entries.map(({ key }) => key)).toEqual(['9.9.9.9']);
  });
});
