import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { eventually, settled } from '../../../testkit/conditions.ts';
import { confirmed, type ReloadFixture, refused, reloadFixture } from '../../../testkit/configuration/safe-reload.ts';
import { noFacts } from '../../../testkit/no-facts.ts';
import { silentLog } from '../../../testkit/silent-log.ts';
import { stopTime } from '../../../testkit/stop-time.ts';
import { StoreFolder } from '../../../testkit/store/store-folder.ts';
import { codes } from '../../errors/catalogue.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { Facts } from '../../events/facts.ts';
import { ReloadsStore } from '../../store/reloads-store.ts';
import { Candidate } from './live-file.ts';
import { ReloadCoordinator } from './reload-coordinator.ts';

let fixture: ReloadFixture;
let database: StoreFolder;
let history: ReloadsStore;
let reloads: ReloadCoordinator;
let needed: boolean;
let helps: boolean;
let memory: boolean;
let memoryAsked: number;
const latest = async () => (await history.list({ limit: 1 })).items[0] ?? null;

beforeEach(async () => {
  [needed, helps, memory, memoryAsked] = [true, true, true, 0];
  fixture = await reloadFixture('old\n');
  await fixture.backups.markKnownGood('old\n', []);
  database = new StoreFolder();
  history = new ReloadsStore(await database.open());
  reloads = coordinator();
});
const coordinator = (onEnded: (ended: Facts['reload.ended']) => void = () => undefined) =>
  new ReloadCoordinator({
    reload: fixture.safeReload,
    store: history,
    log: silentLog,
    now: () => new Date(),
    stillNeeded: async () => needed,
    obstacle: async () => (helps ? null : 'it has no rule'),
    memoryAllows: async () => {
      memoryAsked += 1;
      return memory;
    },
    configuration: async () => null,
    interrupted: () => fixture.marker.interrupted !== null,
    emit: (type, data) => {
      if (type === 'reload.ended') onEnded(data as Facts['reload.ended']);
    },
  });
afterEach(async () => {
  vi.restoreAllMocks();
  await reloads.stop();
  await fixture.stop();
  await database.remove();
});

async function withLast(onEnded: (ended: Facts['reload.ended']) => void) {
  reloads = coordinator(onEnded);
  await reloads.reload('first');
  return { last: reloads.last };
}

/** Reloads block until `go`; counts how many run at a time. */
function held() {
  const { promise, resolve } = Promise.withResolvers<void>();
  const seen = { now: 0, most: 0 };
  fixture.does.reload = async () => {
    seen.now += 1;
    seen.most = Math.max(seen.most, seen.now);
    await promise;
    seen.now -= 1;
    return confirmed(1, 2);
  };
  return { seen, go: resolve };
}

describe('reloads', () => {
  it('that need consent are in the history, but are neither the last reload nor failed', async () => {
    const ended = vi.fn();
    const { last } = await withLast(ended);
    await writeFile(join(fixture.folder, 'proxy.cfg'), 'edited\n');
    await expect(reloads.reload('asked')).rejects.toMatchObject({ code: codes.LiveConfigurationKept });
    expect(reloads.last).toEqual(last);
    expect(ended).toHaveBeenCalledTimes(1);
    expect((await history.list({ limit: 1, cursor: null })).items).toMatchObject([
      { status: 'refused', error: expect.stringContaining('edited by hand') },
    ]);
  });

  it('need the consent of only one of the requests that share one', async () => {
    await writeFile(join(fixture.folder, 'proxy.cfg'), 'edited\n');
    const { go } = held();
    const restore = { configText: 'edited\n', files: [] };
    const first = reloads.change(async () => ({ reasons: ['first'], restore }));
    const both = [reloads.reload('without'), reloads.reload('with', { replace: true })];
    go();
    await first;
    expect(await Promise.all(both)).toMatchObject([{ changed: true }, { changed: true }]);
  });

  it('are in progress until proved or rolled back', async () => {
    const { seen, go } = held();
    const reload = reloads.reload('asked');
    await eventually('it runs', () => seen.now === 1);
    expect(reloads.underWay).toBe(true);
    go();
    await reload;
    expect(reloads.underWay).toBe(false);
    fixture.does.reload = async () => {
      throw new Error('no proxy');
    };
    await expect(reloads.reload('requested again')).rejects.toThrow();
    expect(reloads.underWay).toBe(false);
  });

  it('run one at a time; callers that arrive meanwhile share the next one, with all their reasons', async () => {
    const { seen, go } = held();
    const first = reloads.reload('first');
    await eventually('it runs', () => seen.now === 1);
    const [second, third] = [reloads.reload('second'), reloads.reload('third')];
    go();
    const [one, two, three] = await Promise.all([first, second, third]);
    expect(one.id).not.toBe(two.id);
    expect(three.id).toBe(two.id);
    expect(two.reasons).toEqual(['second', 'third']);
    expect(seen.most).toBe(1);
    expect(fixture.loaded).toHaveLength(2);
  });

  it('with other sites or a backup are never shared, and prepare inside the lock', async () => {
    const order: string[] = [];
    const change = (name: string) =>
      reloads.change(async () => {
        order.push(`${name} prepares`);
        return { reasons: [name], sites: { list: [], store: async () => void order.push(`${name} is stored`) } };
      });
    await Promise.all([change('a'), change('b')]);
    expect(order).toEqual(['a prepares', 'a is stored', 'b prepares', 'b is stored']);
  });

  it('continue after a failed one, whose error only its own caller gets', async () => {
    fixture.does.render = () => ({ text: 'bad\n' });
    const failing = reloads.reload('bad');
    await expect(failing).rejects.toBeInstanceOf(ServiceError);
    expect(reloads.last).toMatchObject({ status: 'refused', error: expect.stringContaining('unknown keyword') });
    fixture.does.render = () => ({ text: 'new\n' });
    await reloads.reload('good');
    expect(reloads.last).toMatchObject({ status: 'completed', error: null });
    const { items } = await history.list({ limit: 10 });
    expect(items.map(({ status, reasons }) => [status, reasons])).toEqual([
      ['completed', ['good']],
      ['refused', ['bad']],
    ]);
    expect(items[1]).toMatchObject({
      validation_output: expect.stringContaining("unknown keyword 'bad'"),
      backup: expect.any(String),
      worker_after: 2,
    });
  });

  it('that failed for another cause than the configuration are recorded as failed', async () => {
    fixture.does.writeMaps = () => Promise.reject(new ServiceError(codes.MapFileUnusable, 'maps', 'full'));
    await expect(reloads.reload('x')).rejects.toMatchObject({ status: 503 });
    expect((await latest())?.status).toBe('failed');
  });

  it('complete although their record cannot be written', async () => {
    await database.remove();
    expect(await reloads.reload('x')).toMatchObject({ status: 'completed' });
    database = new StoreFolder();
  });

  it('never run beside exclusive work', async () => {
    const { seen, go } = held();
    go();
    let inside = -1;
    const work = reloads.exclusively(async () => {
      inside = seen.now;
    });
    await Promise.all([work, reloads.reload('x')]);
    expect(inside).toBe(0);
  });
});

describe('a scheduled reload', () => {
  it('runs once with all reasons, and ends when the workers are in sync', async () => {
    fixture.does.reload = () => {
      needed = false;
      return confirmed(1, 2);
    };
    reloads.schedule('one');
    reloads.schedule('two');
    reloads.schedule('one');
    expect(reloads.scheduled?.reasons).toEqual(['one', 'two']);
    await eventually('nothing is scheduled any more', () => reloads.scheduled === null);
    expect(fixture.loaded).toHaveLength(1);
    expect((await latest())?.reasons).toEqual(['scheduled: one; two']);
  });

  it('is dropped when another reload brought the workers in sync', async () => {
    needed = false;
    reloads.schedule('one');
    await eventually('nothing is scheduled any more', () => reloads.scheduled === null);
    expect(fixture.loaded).toEqual([]);
  });

  it('is dropped if no reload could help', async () => {
    helps = false;
    reloads.schedule('block 192.0.2.1: the worker has not loaded the map');
    await eventually('it is dropped', () => reloads.scheduled === null);
    expect(reloads.last).toBeNull();
  });

  it('waits while one worker more would not fit into the memory', async () => {
    memory = false;
    {
      using time = stopTime();
      reloads.schedule('one');
      await time.pass(150);
      for (let asked = 1; asked <= 3; asked += 1) {
        await eventually('the memory is looked at', () => memoryAsked === asked);
        expect(fixture.loaded).toEqual([]);
        expect(reloads.scheduled).not.toBeNull();
        await settled();
        memory = asked === 3;
        await time.pass(10_000);
      }
      fixture.does.reload = () => {
        needed = false;
        return confirmed(1, 2);
      };
      await time.during(eventually('it is made', () => reloads.scheduled === null));
    }
    expect(fixture.loaded).toHaveLength(1);
  });

  it('is delayed after a reload that did not help', async () => {
    reloads.schedule('one');
    await eventually('the first ran', () => fixture.loaded.length === 1);
    for (let more = 0; more < 20; more += 1) reloads.schedule(`more ${more}`);
    await eventually('its attempt was counted', () => reloads.scheduled?.attempts === 1);
    for (let turn = 0; turn < 20; turn += 1) {
      reloads.reconsider();
      await reloads.exclusively(async () => undefined);
      await latest();
    }
    expect(fixture.loaded).toHaveLength(1);
    expect(reloads.scheduled?.reasons.length).toBeLessThanOrEqual(20);
  });

  it('is not delayed by how long a failed one took', async () => {
    using time = stopTime();
    fixture.does.writeMaps = async () => {
      await time.pass(60_000);
      throw new ServiceError(codes.MapFileUnusable, 'maps', 'full');
    };
    await expect(time.during(reloads.reload('asked'))).rejects.toMatchObject({ status: 503 });
    fixture.does.writeMaps = async () => undefined;
    fixture.does.reload = () => {
      needed = false;
      return confirmed(1, 2);
    };
    reloads.schedule('a worker lacks an entry');
    await time.pass(10_200);
    await time.during(eventually('it is made', () => reloads.scheduled === null));
    expect(fixture.loaded).toHaveLength(1);
  });

  it('does not keep the lock while a check of the workers hangs', async () => {
    const looks: PromiseWithResolvers<boolean>[] = [];
    reloads = new ReloadCoordinator({
      reload: fixture.safeReload,
      store: history,
      log: silentLog,
      now: () => new Date(),
      stillNeeded: async () => {
        looks.push(Promise.withResolvers<boolean>());
        return await looks.at(-1)!.promise;
      },
      memoryAllows: async () => true,
      configuration: async () => null,
      interrupted: () => false,
      emit: noFacts,
      comparisonTimeoutMs: 50,
    });
    reloads.schedule('a worker lacks an entry');
    await eventually('the first look', () => looks.length === 1);
    looks[0]!.resolve(true);
    await eventually('the one that has the lock', () => looks.length === 2);
    expect(await reloads.reload('asked')).toMatchObject({ reasons: ['asked'] });
    await eventually('it is checked again', () => looks.length === 3);
    expect(fixture.loaded).toHaveLength(1);
    expect(reloads.scheduled).not.toBeNull();
    looks[2]!.resolve(false);
    await eventually('it is dropped', () => reloads.scheduled === null);
  });

  it('is postponed once for a check that hangs, not for ever', async () => {
    let looks = 0;
    let looksBefore = 0;
    fixture.does.reload = async () => {
      looksBefore = looks;
      return confirmed(1, 2);
    };
    const ended = Promise.withResolvers<boolean>();
    reloads = new ReloadCoordinator({
      reload: fixture.safeReload,
      store: history,
      log: silentLog,
      now: () => new Date(),
      stillNeeded: async () => {
        looks += 1;
        // Without the lock ends at once, with true; with it, takes longer than the time-out.
        return looks % 2 === 1 && fixture.loaded.length === 0 ? true : await ended.promise;
      },
      memoryAllows: async () => true,
      configuration: async () => null,
      interrupted: () => false,
      emit: noFacts,
      comparisonTimeoutMs: 50,
    });
    reloads.schedule('a worker lacks an entry');
    await eventually('it is made', () => looksBefore > 0);
    // The pending check must end even if the test fails: the reloads stop only after it.
    ended.resolve(false);
    expect(looksBefore).toBe(4);
    await eventually('it is dropped', () => reloads.scheduled === null);
  });

  it('keeps an operator’s edit, even when it completes a half-applied change', async () => {
    await writeFile(join(fixture.folder, 'proxy.cfg'), 'edited\n');
    reloads.schedule('previous reload left half-applied');
    await eventually('it was tried', async () => (await latest()) !== null);
    expect(await latest()).toMatchObject({ status: 'refused' });
    expect(await fixture.live()).toBe('edited\n');
  });

  it('does not keep the service from stopping', async () => {
    memory = false;
    reloads.schedule('one');
    await reloads.stop();
    expect(fixture.loaded).toEqual([]);
  });
});

it('a scheduled reload that fails before it begins is retried only after a pause', async () => {
  let tries = 0;
  const unreadable = new ReloadCoordinator({
    reload: fixture.safeReload,
    store: history,
    log: silentLog,
    now: () => new Date(),
    // A loop without a pause would block everything else, so it ends by itself.
    stillNeeded: async () => tries < 5,
    memoryAllows: async () => true,
    configuration: async () => {
      tries += 1;
      throw new Error('the live file is not UTF-8');
    },
    interrupted: () => false,
    emit: noFacts,
  });
  unreadable.schedule('a block');
  await eventually('it was tried', () => tries > 0);
  // Enough turns of the event loop to detect a loop without a pause.
  for (let turn = 0; turn < 200; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  expect(tries).toBe(1);
  await unreadable.stop();
});

it('a reload whose rollback failed too is repeated until file, proxy and database are in sync', async () => {
  // HAProxy does not confirm, and then the disk fails.
  fixture.does.reload = async () => refused();
  const { deploy } = Candidate.prototype;
  let deploys = 0;
  vi.spyOn(Candidate.prototype, 'deploy').mockImplementation(async function (this: Candidate) {
    deploys += 1;
    if (deploys === 2) throw new Error('EROFS: read-only file system');
    await deploy.call(this);
  });
  await expect(reloads.reload('first')).rejects.toMatchObject({ members: { restored: false } });
  expect(reloads.scheduled?.reasons).toEqual(['previous reload left half-applied']);
  expect(fixture.marker.interrupted).toBe('rendered');
});
