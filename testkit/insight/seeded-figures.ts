// What the blocked set did in the last 90 days, as a run of that time would have stored it: the same for the same seed.
// The figures agree: those of sources, sites, entries and the attack are parts of the same minutes.
import { count } from '../../src/domain/counted.ts';
import { type IpEntry, parseIp, shortKey, sortKey } from '../../src/domain/ip.ts';
import type { StoredCollector } from '../../src/insight/collector.ts';
import { HitsStore } from '../../src/store/hits-store.ts';
import { InsightStore } from '../../src/store/insight-store.ts';
import { type NewNotice, type NoticeStep, NoticesStore } from '../../src/store/notices-store.ts';
import { type Database, openDatabase } from '../../src/store/open-database.ts';
import { type Metric, type Point, SeriesStore, steps } from '../../src/store/series-store.ts';
import { type SiteHour, SiteHoursStore } from '../../src/store/site-hours-store.ts';

const days = 90;
const day = 86_400;
const hour = 3_600;
const minute = 60;
/** Rows of one transaction. */
const atOnce = 2_000;
/** Of the denied requests, those that no entry explains. */
const notAttributed = 0.004;
const attackMinutes = 45;
const attackPeak = 5_400;
const attackDenied = 190_000;
/** Of the attack, what its loudest entry denies, and what its site gets. */
const attackShares = { entry: 0.84, site: 0.79 } as const;
const siteShare = 0.62;
/** Of the entries that denied requests, those that did so in the last 24 hours. */
const activeShare = 0.7;

export interface SeededEntry {
  readonly ip_address: string;
  readonly source: string;
}

export interface SeededFigures {
  /** Blocked already; each has denied requests, the first one most. */
  readonly entries: readonly SeededEntry[];
  readonly sites: readonly string[];
  readonly sources: readonly string[];
  /** The source whose entries were added last. */
  readonly grown: string;
  readonly entryCount: number;
  readonly now: Date;
  readonly seed: number;
}

interface Minute {
  readonly at: number;
  readonly denied: number;
  readonly requests: number;
  readonly unexplained: number;
  readonly attacked: boolean;
}

interface Period {
  readonly from: number;
  readonly to: number;
}

/** Of a day, from 0 to 1: the least before dawn. */
function tide(at: number): number {
  return 0.55 + 0.45 * Math.sin(((at % day) / day) * 2 * Math.PI - 1.9);
}

/** While the service does not run. The gap and the attack are in the last 24 hours. */
export async function writeSeededFigures(file: string, figures: SeededFigures): Promise<void> {
  const { entries, sites, sources, entryCount, seed } = figures;
  const random = randomFrom(seed);
  const now = Math.floor(figures.now.getTime() / 1_000);
  const gapFrom = now - 15 * hour - ((now - 15 * hour) % 600);
  const gap = { from: gapFrom, to: gapFrom + 2_400, cause: 'the service was stopped' };
  const imported = { at: now - 11 * hour, entries: entryCount / 5 };
  const attackFrom = now - 7 * hour - ((now - 7 * hour) % minute);
  const attack = { from: attackFrom, to: attackFrom + attackMinutes * minute };
  const minutes = minutesOf({ now, gap, attack, random });

  const weights = withSum(
    1,
    entries.map((_, at) => 1 / (at + 1)),
  );
  const active = entries.slice(0, Math.ceil(entries.length * activeShare));
  const bySource = sources.map((name) => sum(entries.map(({ source }, at) => (source === name ? weights[at]! : 0))));
  const loudest = sources.indexOf(entries[0]!.source);
  const shares = {
    source: {
      usual: bySource,
      attack: bySource.map((share, at) => (1 - attackShares.entry) * share + (at === loudest ? attackShares.entry : 0)),
    },
    site: { usual: falling(sites.length, siteShare), attack: falling(sites.length, attackShares.site) },
  };

  const database = await openDatabase(`sqlite:${file}`, { createIfMissing: false });
  try {
    const series = new SeriesStore(database);
    const records = new InsightStore(database);
    const labels = {
      site: await Promise.all(sites.map(async (name) => await series.label('site', name))),
      source: await Promise.all(sources.map(async (name) => await series.label('source', name))),
    };
    const points: Point[] = [];
    for (const { seconds: step, keepSeconds } of steps) {
      for (const [at, inside] of inSteps(minutes, step, now - keepSeconds)) {
        const put = (metric: Metric, label: number, value: number): void =>
          void points.push({ metric, label, step, at, value });
        const denied = sum(inside.map((one) => one.denied));
        const unexplained = sum(inside.map((one) => one.unexplained));
        put('denied', 0, denied);
        put('requests', 0, sum(inside.map(({ requests }) => requests)));
        put('not_attributed', 0, unexplained);
        // Clients come back: in ten minutes there are fewer than ten times as many.
        const different = 160 * tide(at) * (step / minute) ** 0.55;
        put('addresses', 0, Math.round(Math.min(active.length, denied, different)));
        put('entries', 0, entryCount - (at < imported.at ? imported.entries : 0));
        for (const kind of ['site', 'source'] as const) {
          const parts = new Array<number>(labels[kind].length).fill(0);
          for (const one of inside) {
            const { usual, attack: attacked } = shares[kind];
            const all = kind === 'site' ? one.denied : one.denied - one.unexplained;
            for (const [index, part] of split(all, one.attacked ? attacked : usual).entries()) parts[index]! += part;
          }
          for (const [index, label] of labels[kind].entries()) put('denied', label, parts[index]!);
        }
      }
    }
    for (let from = 0; from < points.length; from += atOnce)
      await series.write({ points: points.slice(from, from + atOnce), states: {} });
    await records.addGap(gap);
    const traffic = [...inSteps(minutes, hour, now - 23 * hour - (now % hour))].flatMap(([at, inside]): SiteHour[] => {
      const denied = split(sum(inside.map((one) => one.denied)), shares.site.usual);
      const served = split(sum(inside.map((one) => one.requests - one.denied)), shares.site.usual);
      return sites.map((site, index) => {
        const requests = served[index]!;
        const mean = (24 + 31 * index) * (0.9 + 0.2 * tide(at));
        return {
          ...{ at, site, requests, denied: denied[index]! },
          server_errors: Math.round(requests * (index === 1 ? 0.012 : 0.000_3)),
          response_ms: Math.round(requests * mean),
        };
      });
    });
    await new SiteHoursStore(database).put(traffic);

    const hits = new HitsStore(database);
    const inAttack = minutes.filter(({ attacked }) => attacked);
    const sorted = (values: readonly number[]): readonly number[] => values.toSorted((a, b) => a - b);
    const before = minutes.filter(({ at }) => attack.from - at <= 7 * day && (attack.from - at) % day < hour);
    const usual = sorted(before.filter(({ attacked }) => !attacked).map(({ denied }) => denied));
    const explained = sum(inAttack.map((one) => one.denied - one.unexplained));
    await records.addAttack({
      ...{ started_at: attack.from, ended_at: attack.to, peak: attackPeak, denied: attackDenied },
      usual: usual[usual.length >> 1] ?? 0,
      top_json: JSON.stringify({
        networks: [{ entry: entries[0]!.ip_address, denied: Math.round(explained * attackShares.entry) }],
        sites: [{ site: sites[0], denied: Math.round(attackDenied * attackShares.site) }],
      }),
    });
    await new NoticesStore(database).apply([
      opened(attack.from, notice('attack 1', 'attack.started')),
      { kind: 'end', at: new Date(attack.to * 1_000), subject: 'attack 1' },
      opened(now - hour, notice('certificate c-1', 'certificate.expiring')),
    ]);
    await writeHits({ hits, entries, active: active.length, weights, minutes, now, random });
    const collector: StoredCollector = {
      since: now - days * day,
      at: now,
      requests: null,
      denied: null,
      sites: {},
      open: 0,
    };
    const mark = { at: imported.at, kind: 'import', text: `Import: ${count(imported.entries)} blocked, 0 unblocked` };
    await series.write({ points: [], states: { collector, marks: [mark] } });
    await setBlockTimes(database, figures, imported, now - (days + 10) * day);
  } finally {
    await database.close();
  }
}

/** Those that have ended, without the gap. */
function minutesOf({
  now,
  gap,
  attack,
  random,
}: {
  readonly now: number;
  readonly gap: Period;
  readonly attack: Period;
  readonly random: () => number;
}): readonly Minute[] {
  const attacked = attackCurve(random);
  const found: Minute[] = [];
  const first = now - days * day;
  let unknown = 0;
  for (let at = first - (first % minute) + minute; at + minute <= now; at += minute) {
    const usual = Math.round(900 * tide(at) * (0.85 + random() * 0.3));
    const served = Math.round(40_000 * tide(at) * (0.9 + random() * 0.2));
    if (at >= gap.from && at < gap.to) continue;
    const isAttacked = at >= attack.from && at < attack.to;
    const denied = isAttacked ? attacked[(at - attack.from) / minute]! : usual;
    unknown += denied * notAttributed;
    const unexplained = Math.floor(unknown);
    unknown -= unexplained;
    found.push({ at, denied, requests: served + denied, unexplained, attacked: isAttacked });
  }
  return found;
}

/** Its peak and its sum are those of the attack. */
function attackCurve(random: () => number): readonly number[] {
  const peakAt = 12;
  const below = Array.from({ length: attackMinutes }, (_, at) =>
    at === peakAt ? 0 : Math.abs(at - peakAt) + 4 + random() * 12,
  );
  return split(attackMinutes * attackPeak - attackDenied, withSum(1, below)).map((less) => attackPeak - less);
}

/** Since `from`, by the begin of each step. */
function inSteps(minutes: readonly Minute[], step: number, from: number): ReadonlyMap<number, readonly Minute[]> {
  const found = new Map<number, Minute[]>();
  for (const one of minutes) {
    const at = one.at - (one.at % step);
    if (at < from) continue;
    const inside = found.get(at);
    if (inside === undefined) found.set(at, [one]);
    else inside.push(one);
  }
  return found;
}

interface HitsToWrite {
  readonly hits: HitsStore;
  readonly entries: readonly SeededEntry[];
  /** How many of them, from the first on, denied something in the last 24 hours. */
  readonly active: number;
  /** By entry. */
  readonly weights: readonly number[];
  readonly minutes: readonly Minute[];
  readonly now: number;
  readonly random: () => number;
}

/** Of addresses and entries, which are the same here, and of their hours. */
async function writeHits({ hits, entries, active, weights, minutes, now, random }: HitsToWrite): Promise<void> {
  const keys = entries.map(({ ip_address: text }) => ({ key: sortKey(entryOf(text)), short: shortKey(entryOf(text)) }));
  const explained = (some: readonly Minute[]): number => sum(some.map((one) => one.denied - one.unexplained));
  const byEntry = (some: readonly Minute[], of: readonly number[]): readonly number[] => {
    const attack = explained(some.filter(({ attacked }) => attacked));
    const loudest = Math.round(attack * attackShares.entry);
    const all = split(explained(some) - loudest, of);
    return all.map((one, at) => (at === 0 ? one + loudest : one));
  };
  const today = new Array<number>(active).fill(0);
  const last: ({ readonly at: number; readonly hits: number } | null)[] = new Array(entries.length).fill(null);
  for (const [at, inside] of inSteps(minutes, hour, now - day)) {
    const varied = weights.slice(0, active).map((weight) => weight * (0.4 + random() * 1.2));
    const found = byEntry(inside, withSum(1, varied));
    for (const [index, count] of found.entries()) {
      today[index]! += count;
      if (count > 0) last[index] = { at, hits: count };
    }
    const rows = found.flatMap((count, index) => (count === 0 ? [] : [{ sortKey: keys[index]!.key, hits: count }]));
    for (let from = 0; from < rows.length; from += atOnce) await hits.putHour(at, rows.slice(from, from + atOnce));
  }
  const totals = byEntry(minutes, weights);
  const rows = entries.map((_, at) => {
    const known = last[at] ?? null;
    // One in forty is new.
    const isNew = known !== null && at % 40 === 39;
    const span = known === null ? 28 * day : Math.min(hour, now - known.at);
    const lastHit =
      known === null ? now - day - 1 - Math.floor(random() * span) : known.at + Math.floor(random() * span);
    return {
      ...keys[at]!,
      total: Math.max(1, isNew ? today[at]! : totals[at]!),
      firstHit: isNew ? known.at : now - (days - 1) * day + Math.floor(random() * 50 * day),
      lastHit: Math.min(lastHit, now - 1),
      inHour: known?.hits ?? 1,
    };
  });
  for (let from = 0; from < rows.length; from += atOnce) {
    const slice = rows.slice(from, from + atOnce);
    await hits.write({
      knocking: slice.map(({ short, total, firstHit, lastHit, inHour }) => ({
        ...{ address: short, entry: short, total, counters: `1:${total}`, hour_hits: inHour },
        ...{ first_hit: firstHit, last_hit: lastHit },
      })),
      entries: slice.map(({ key, total, firstHit, lastHit }) => ({ sortKey: key, hits: total, firstHit, lastHit })),
      gone: [],
    });
  }
}

/** Those that denied requests were blocked before they did; else the requests would be of an earlier block. */
async function setBlockTimes(
  database: Database,
  { entries, grown }: SeededFigures,
  imported: { readonly at: number; readonly entries: number },
  first: number,
): Promise<void> {
  const iso = (at: number): string => new Date(at * 1_000).toISOString();
  await database.write
    .updateTable('blocked_ips')
    .set({ blocked_at: iso(first) })
    .execute();
  const source = await database.read
    .selectFrom('sources')
    .select('id')
    .where('name', '=', grown)
    .executeTakeFirstOrThrow();
  const known = new Set(entries.map(({ ip_address: text }) => text));
  const rows = await database.read
    .selectFrom('blocked_ips')
    .select('ip_address')
    .where('source', '=', source.id)
    .execute();
  const added = rows.map(({ ip_address: text }) => text).filter((text) => !known.has(text));
  const late = added.slice(0, imported.entries);
  for (let from = 0; from < late.length; from += atOnce)
    await database.write
      .updateTable('blocked_ips')
      .set({ blocked_at: iso(imported.at) })
      .where('ip_address', 'in', late.slice(from, from + atOnce))
      .execute();
}

/** Parts of 1: the first one is the largest, the last one the rest. */
function falling(count: number, first: number): readonly number[] {
  const parts = Array.from({ length: count - 1 }, (_, at) => first * (1 - first) ** at);
  return [...parts, 1 - sum(parts)];
}

/** Whole numbers whose sum is `all`. @param shares their sum is 1 */
function split(all: number, shares: readonly number[]): number[] {
  let [exact, given] = [0, 0];
  return shares.map((share, at) => {
    exact += share * all;
    const part = (at === shares.length - 1 ? all : Math.min(all, Math.round(exact))) - given;
    given += part;
    return part;
  });
}

function withSum(all: number, values: readonly number[]): readonly number[] {
  const now = sum(values);
  return values.map((value) => (value / now) * all);
}

function sum(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0);
}

function opened(at: number, words: NewNotice): NoticeStep {
  return { kind: 'open', at: new Date(at * 1_000), notice: words, repeats: false };
}

function notice(subject: string, type: 'attack.started' | 'certificate.expiring'): NewNotice {
  const own =
    type === 'attack.started'
      ? { title: 'Attack: 5,400 denied requests a minute', detail: 'All of them get 403.', page: '/denied' }
      : { title: 'A certificate expires in 9 days', detail: 'blog.example', page: '/certificates' };
  return { subject, type, level: 'attention', detail_for_admins: 0, ...own };
}

function entryOf(text: string): IpEntry {
  const parsed = parseIp(text);
  if (!parsed.ok) throw new Error(`${text}: ${parsed.why}`);
  return parsed.entry;
}

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
