import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type BlockingKit, caller, entryOf, toBlock } from '../../testkit/blocking.ts';
import { openScriptedBlocking } from '../../testkit/scripted-blocking.ts';
import { type ScriptedMaster, say } from '../../testkit/scripted-master.ts';
import type { ReloadCoordinator } from '../configuration/reload-coordinator.ts';
import { Health } from './health.ts';

const texts = Array.from({ length: 1_200 }, (_, n) => `20.0.${n >> 8}.${n & 255}`);

describe('health, with a version left behind in the worker', () => {
  let close: () => Promise<void>;
  let master: ScriptedMaster;
  let kit: BlockingKit;
  let health: Health;

  beforeEach(async () => {
    ({ master, kit, close } = await openScriptedBlocking({ fastDeletes: false }));
    const add = texts.map((text, index) => ({ index, request: toBlock(text) }));
    await kit.blockedSet.batch({ add, remove: [], rejected: [] }, caller());
    await kit.reconciler.look(true);
    health = new Health({
      ...kit,
      reloads: { scheduled: null, last: null } as unknown as ReloadCoordinator,
      versions: () => ({ service: '', proxy: '', unsupported: [] }),
      proxyProblems: async () => [],
      started: () => true,
    });
    for (let n = 0; n < 40; n += 1) map().add(`30.0.0.${n}`, '1');
    kit.rule.took(master.current.pid, texts.length, 1, 10_000);
    master.script = (command) => (command.includes(' commit map ') ? say('No.\n\n') : undefined);
    expect(await kit.workers.ensureWhole(kit.blocked, master.current.pid)).toMatchObject({ whole: false });
    master.script = () => undefined;
    for (let n = 0; n < 40; n += 1) map().del(`30.0.0.${n}`);
    await kit.reconciler.look(false);
  });
  afterEach(async () => {
    await close();
  });

  const map = () => master.map(kit.mapPath);
  const listings = () => master.commands.filter((command) => command.endsWith(`show map ${kit.mapPath}`)).length;
  const seen = async () => {
    const { status, reasons, ...parts } = await health.health();
    return { status, reasons, held: (parts['runtime_map'] as { seen: number }).seen };
  };

  it('stays ok after an unblock, which takes the entry out of both, and after a block', async () => {
    expect(map().entries.length).toBeGreaterThan(texts.length * 1.5);
    expect(await seen()).toEqual({ status: 'ok', reasons: [], held: 1_200 });
    const before = listings();
    for (const text of texts.slice(0, 3)) {
      await kit.blockedSet.unblock(entryOf(text), caller());
      expect(await seen()).toMatchObject({ status: 'ok', reasons: [] });
      await kit.reconciler.look(false);
    }
    await kit.blockedSet.block(toBlock('9.9.9.9'), caller());
    expect(await seen()).toEqual({ status: 'ok', reasons: [], held: 1_198 });
    await kit.reconciler.look(false);
    expect(listings()).toBe(before);
  });

  it('is degraded when the live map lacks an entry', async () => {
    map().entries = map().entries.filter(({ key, version }) => key !== texts[0] || version !== 0);
    expect(await seen()).toMatchObject({ status: 'degraded', held: 1_199 });
  });
});
