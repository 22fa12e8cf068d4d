// Whatever happens, an entry that was hit is not called never matched, unless in a gap (ADR 0099).
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { InsightKit } from '../../testkit/insight/insight-kit.ts';
import { notHitIn } from '../../testkit/insight/insight-service-of.ts';
import { caseCount } from '../../testkit/proxies.ts';
import { block, StoreFolder, storesOf } from '../../testkit/store/store-folder.ts';
import { codes } from '../errors/catalogue.ts';
import { ServiceError } from '../errors/service-error.ts';
import { EntryLookup } from '../store/entry-lookup.ts';
import { HitsStore } from '../store/hits-store.ts';
import { InsightStore } from '../store/insight-store.ts';
import type { Database } from '../store/open-database.ts';
import { SeriesStore } from '../store/series-store.ts';

const day = 86_400;
/** Without other traffic, one lost request is more than 1 %, and nothing is claimed at all. */
const busy = '203.0.113.0/24';
const numbers = Array.from({ length: 8 }, (_, index) => index + 1);
const addressIn = new Map([
  ['192.0.2.0/24', '192.0.2.77'],
  ['2001:db8::/32', '2001:db8::7'],
  ...numbers.map((last) => [`192.0.2.${last}`, `192.0.2.${last}`] as const),
]);
const entries = [...addressIn.keys()];

const broken = new Error('the database fails');
const fails = async (): Promise<never> => {
  throw broken;
};
/** Parts of the database that can fail, each with its method. */
const parts = [
  [EntryLookup.prototype, 'around'],
  [HitsStore.prototype, 'write'],
  [SeriesStore.prototype, 'write'],
  [InsightStore.prototype, 'addGap'],
] as const satisfies readonly (readonly [object, string])[];
const working = parts.map(([part, method]) => [part, method, Reflect.get(part, method)] as const);
const repair = () => {
  for (const [part, method, work] of working) Reflect.set(part, method, work);
};

class Model {
  readonly #kit: InsightKit;
  readonly #database: Database;
  /** When each entry was hit, by the clock. */
  readonly #hits = new Map<string, number[]>();
  #drained = true;

  constructor(kit: InsightKit, database: Database) {
    this.#kit = kit;
    this.#database = database;
  }

  hit(entry: string, how: 'denied' | 'rejected' | 'drained'): void {
    const { haproxy } = this.#kit;
    if (how === 'drained' && this.#drained) return;
    this.#hits.set(entry, [...(this.#hits.get(entry) ?? []), this.#kit.seconds]);
    const address = addressIn.get(entry)!;
    if (how === 'denied') haproxy.deny(address);
    else if (how === 'rejected') haproxy.reject(address);
    else haproxy.denyUncounted(haproxy.draining);
  }

  async pass(seconds: number): Promise<void> {
    await this.#kit.pass(seconds);
    await this.check();
  }

  later(seconds: number): void {
    this.#kit.now = new Date(this.#kit.now.getTime() + seconds * 1_000);
  }

  /** Of the service's own, or not: then some seconds after a reading. */
  async reload({ own, drains, handsOver }: { own: boolean; drains: boolean; handsOver: boolean }): Promise<void> {
    const { haproxy, insight } = this.#kit;
    if (own) await insight.readNow();
    else this.later(5);
    haproxy.handsOver = handsOver;
    // What a worker denies between its last reading and its end has no trace.
    if (!this.#drained) await insight.readNow();
    haproxy.reload({ drains });
    this.#drained = !drains;
  }

  start(): void {
    this.later(5);
    this.#kit.haproxy.start();
    this.#drained = true;
  }

  fail(which: number): void {
    const [part, method] = parts[which]!;
    Reflect.set(part, method, fails);
  }

  async check(): Promise<void> {
    const kit = this.#kit;
    const listed = await this.#listed();
    if (listed === null) return;
    const { watched, state } = kit.insight.state!;
    const gaps = await watched.gaps(0, kit.seconds);
    const wrong = listed.flatMap((entry) =>
      (this.#hits.get(entry) ?? [])
        .filter((at) => at > kit.seconds - day && at < state.collector.lastAt!)
        .filter((at) => !gaps.some(({ from, to }) => from <= at && at <= to))
        .map((at) => `${entry} was hit ${kit.seconds - at} s ago`),
    );
    expect(wrong).toEqual([]);
  }

  /** Null: nothing is claimed. */
  async #listed(): Promise<string[] | null> {
    try {
      return await notHitIn(this.#kit, this.#database, day);
    } catch (error) {
      const refused =
        error instanceof ServiceError && [codes.NotWatched, codes.InsightLoading].some((code) => code === error.code);
      if (refused || error === broken) return null;
      throw error;
    }
  }
}

type Step = (model: Model, kit: InsightKit) => Promise<void> | void;
const named = (name: string, step: Step): Step => Object.assign(step, { [fc.toStringMethod]: () => name });
const entry = fc.constantFrom(...entries);
const seconds = fc.integer({ min: 1, max: 30 }).map((tens) => tens * 10);
const hit = fc
  .tuple(entry, fc.constantFrom('denied', 'denied', 'rejected', 'drained'))
  .map(([of, how]) => named(`${of} ${how}`, (model) => model.hit(of, how)));
const pass = seconds.map((of) => named(`${of} s pass`, (model) => model.pass(of)));
const reload = fc
  .record({ own: fc.boolean(), drains: fc.boolean(), handsOver: fc.boolean() })
  .map((how) => named(`reload ${JSON.stringify(how)}`, (model) => model.reload(how)));
const others = fc.oneof(
  reload,
  fc.constant(named('start of HAProxy', (model) => model.start())),
  fc.constant(named('kill of the service', (_, kit) => kit.restart())),
  seconds.map((of) =>
    named(`service down for ${of} s`, (model, kit) => {
      model.later(of);
      kit.restart();
    }),
  ),
  fc
    .oneof(fc.constant(-2 * day), fc.integer({ min: -150, max: 300 }))
    .map((of) => named(`clock moves ${of} s`, (model) => model.later(of))),
  fc.integer({ min: 0, max: parts.length - 1 }).map((of) => named(`part ${of} fails`, (model) => model.fail(of))),
  fc.constant(named('the database works', repair)),
  fc.boolean().map((to) =>
    named(`counts: ${to}`, async (model, kit) => {
      kit.haproxy.counts = to;
      await model.reload({ own: true, drains: false, handsOver: true });
    }),
  ),
  fc.boolean().map((to) =>
    named(`silent: ${to}`, (_, kit) => {
      kit.haproxy.silent = to;
    }),
  ),
  entry.map((of) => named(`${of} expires`, (_, kit) => kit.haproxy.expire(addressIn.get(of)!))),
);
const steps = fc.array(fc.oneof({ weight: 3, arbitrary: hit }, { weight: 3, arbitrary: pass }, others), {
  minLength: 4,
  maxLength: 30,
});

it('never calls an entry never matched that was hit outside of gaps', async () => {
  let [claimed, refused] = [0, 0];
  await fc.assert(
    fc.asyncProperty(steps, async (chosen) => {
      const folder = new StoreFolder();
      try {
        const database = await folder.open();
        await block(storesOf(database).store, busy, ...entries);
        await database.write.updateTable('blocked_ips').set({ blocked_at: '2026-11-01T00:00:00.000Z' }).execute();
        const kit = new InsightKit(database);
        kit.haproxy.deny('203.0.113.1', 10_000);
        await kit.watchedFor(8);
        const model = new Model(kit, database);
        await model.pass(10);
        for (const step of chosen) await step(model, kit);
        repair();
        kit.haproxy.silent = false;
        await model.pass(70);
        await notHitIn(kit, database, day).then(
          () => (claimed += 1),
          () => (refused += 1),
        );
      } finally {
        repair();
        await folder.remove();
      }
    }),
    { numRuns: caseCount(30) },
  );
  // Else the property says nothing.
  expect(claimed).toBeGreaterThan(refused / 4);
});
