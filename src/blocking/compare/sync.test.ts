import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type BlockingKit, caller, toBlock } from '../../../testkit/blocking.ts';
import { eventually } from '../../../testkit/conditions.ts';
import { openScriptedBlocking } from '../../../testkit/scripted-blocking.ts';
import { type ScriptedMaster, say } from '../../../testkit/scripted-master.ts';
import type { StoppedTime } from '../../../testkit/stop-time.ts';
import type { BulkItem } from '../blocked-set-service.ts';

const texts = Array.from({ length: 1_500 }, (_, n) => `20.0.${n >> 8}.${n & 255}`);

describe('a sync', () => {
  let close: () => Promise<void>;
  let master: ScriptedMaster;
  let kit: BlockingKit;
  let time: StoppedTime;

  beforeEach(async () => {
    ({ master, kit, time, close } = await openScriptedBlocking());
    await put(texts);
  });
  afterEach(async () => {
    await close();
  });

  function put(wanted: readonly string[]) {
    const source = async function* (): AsyncIterable<readonly BulkItem[]> {
      yield wanted.map((text) => ({ ok: true, request: toBlock(text) }) as BulkItem);
    };
    return kit.blockedSet.replaceAll(source(), { allowShrink: true }, caller());
  }

  it('does not remove or report as repaired what a running bulk change is about to remove', async () => {
    const asked = Promise.withResolvers<void>();
    let removing = false;
    master.script = (command) => {
      if (!command.includes(' del map ')) return undefined;
      removing = true;
      return { kind: 'wait', until: asked.promise };
    };
    const change = put(texts.slice(600));
    await eventually('the list is being applied', () => removing);
    const sync = kit.blockedSet.sync(caller());
    // The slice abandons the worker.
    await time.during(kit.turns.take('urgent', async () => undefined));
    asked.resolve();
    expect(await time.during(sync)).toMatchObject({ runtime_map_synced: true, total_ips: 900, added: 0, removed: 0 });
    expect(await change).toMatchObject({ removed: 600, runtime_map_updated: true });
  });

  it('covers the worker of a reload made meanwhile, and schedules no other reload', async () => {
    const former = master.current.pid;
    const listing = `@!${former} show map ${kit.mapPath}`;
    master.script = (command) => {
      if (command !== listing || master.current.pid !== former) return undefined;
      master.reload();
      return say('', 'close');
    };
    const answer = await kit.blockedSet.sync(caller());
    expect(master.current.pid).not.toBe(former);
    expect(answer).toMatchObject({ runtime_map_synced: true, reload_scheduled: false });
    expect(kit.registry.allInSync()).toBe(true);
  });

  it('verifies the worker that took over meanwhile, without a closed connection', async () => {
    const former = master.current.pid;
    let listings = 0;
    master.script = (command) => {
      if (command === `@!${former} show map ${kit.mapPath}` && master.current.pid === former) {
        // The worker had read the file before the last entry was written.
        master.reload({ [kit.mapPath]: texts.slice(1).map((text) => `${text} 1`) });
      }
      if (command === `@!${master.current.pid} show map ${kit.mapPath}`) listings += 1;
      return undefined;
    };
    const answer = await kit.blockedSet.sync(caller());
    expect(listings).toBeGreaterThan(0);
    expect(answer).toMatchObject({ runtime_map_synced: true, added: 1, reload_scheduled: false });
  });

  it('is not done while workers keep taking over', async () => {
    let reloads = 0;
    master.script = (command) => {
      if (command === `@!${master.current.pid} show map ${kit.mapPath}`) {
        master.reload();
        reloads += 1;
      }
      return undefined;
    };
    const answer = await time.during(kit.blockedSet.sync(caller()), 10);
    expect(reloads).toBeGreaterThan(4);
    expect(answer).toMatchObject({ runtime_map_synced: false, reason: expect.stringContaining('took over') });
  });

  it('reports a starting worker that was not compared', async () => {
    let starting = 0;
    master.script = (command) => {
      if (starting === 0 && command.endsWith(` show map ${kit.mapPath}`)) starting = master.beginReload().pid;
      return undefined;
    };
    const answer = await time.during(kit.blockedSet.sync(caller()), 10);
    expect(answer).toMatchObject({
      runtime_map_synced: false,
      reason: expect.stringContaining(`worker ${starting} is starting`),
      reload_scheduled: false,
    });
    master.finishReload();
    expect(await kit.blockedSet.sync(caller())).toMatchObject({ runtime_map_synced: true });
  });

  it('counts the repairs made before another process’s reload interrupted it', async () => {
    const map = master.map(kit.mapPath);
    for (const text of texts.slice(0, 3)) map.del(text);
    for (const n of [1, 2]) map.add(`30.0.0.${n}`, '1');
    let listings = 0;
    master.script = (command) => {
      if (!command.endsWith(` show map ${kit.mapPath}`)) return undefined;
      listings += 1;
      return listings === 3 ? say('', 'close') : undefined;
    };
    const answer = await kit.blockedSet.sync(caller());
    expect(listings).toBeGreaterThan(3);
    expect(answer).toMatchObject({ runtime_map_synced: true, added: 3, removed: 2 });
  });

  it('is verified by the worker of a reload made meanwhile, and so is a list', async () => {
    const former = master.current.pid;
    const listing = `@!${former} show map ${kit.mapPath}`;
    master.script = (command) => {
      if (command !== listing || master.current.pid !== former) return undefined;
      master.reload();
      return say('', 'close');
    };
    expect(await put(texts.slice(10))).toMatchObject({ runtime_map_updated: true, reload_scheduled: false });
  });
});
