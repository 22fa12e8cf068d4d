// What the blocked set did in the last 90 days, as a run of that time would have stored it: the same for the same seed.
import { type IpEntry, parseIp, shortKey, sortKey } from '../../src/domain/ip.ts';
import type { StoredCollector } from '../../src/insight/collector.ts';
import { HitsStore } from '../../src/store/hits-store.ts';
import { InsightStore } from '../../src/store/insight-store.ts';
import { type NewNotice, type NoticeStep, NoticesStore } from '../../src/store/notices-store.ts';
import { openDatabase } from '../../src/store/open-database.ts';
import { type Metric, type Point, SeriesStore, steps } from '../../src/store/series-store.ts';

const days = 90;
const day = 86_400;
const hour = 3_600;
/** Rows of one transaction. */
const atOnce = 2_000;

export interface SeededFigures {
  /** Blocked already; each has denied requests. */
  readonly entries: readonly string[];
  readonly sites: readonly string[];
  readonly sources: readonly string[];
  readonly entryCount: number;
  readonly now: Date;
  readonly seed: number;
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
  const gap = { from: now - 15 * hour, to: now - 15 * hour + 2_400, cause: 'the service was stopped' };
  const imported = now - 11 * hour;
  const attack = { from: now - 7 * hour, to: now - 7 * hour + 2_700 };
  const database = await openDatabase(`sqlite:${file}`, { createIfMissing: false });
  try {
    const series = new SeriesStore(database);
    const records = new InsightStore(database);
    const hits = new HitsStore(database);
    const labels = {
      site: await Promise.all(sites.map(async (name) => await series.label('site', name))),
      source: await Promise.all(sources.map(async (name) => await series.label('source', name))),
    };
    const points: Point[] = [];
    const put = (metric: Metric, label: number, step: Point['step'], at: number, value: number): void =>
      void points.push({ metric, label, step, at, value: Math.round(value) });
    for (const { seconds: step, keepSeconds } of steps) {
      const minutes = step / 60;
      const last = now - (now % step);
      for (let at = last - Math.min(keepSeconds, days * day); at <= last; at += step) {
        if (at >= gap.from && at < gap.to) continue;
        const attacked = at >= attack.from && at < attack.to ? 6 : 1;
        const denied = 900 * tide(at) * (0.85 + random() * 0.3) * attacked * minutes;
        put('denied', 0, step, at, denied);
        put('requests', 0, step, at, 14_000 * tide(at) * (0.9 + random() * 0.2) * minutes + denied);
        put('not_attributed', 0, step, at, denied * 0.004);
        put('addresses', 0, step, at, 300 * tide(at));
        put('entries', 0, step, at, at < imported ? entryCount * 0.8 : entryCount);
        for (const [kind, all] of Object.entries(labels)) {
          let rest = denied;
          for (const [index, label] of all.entries()) {
            const share = index === all.length - 1 ? rest : rest * (kind === 'site' ? 0.62 : 0.7);
            put('denied', label, step, at, share);
            rest -= share;
          }
        }
      }
    }
    for (let from = 0; from < points.length; from += atOnce)
      await series.write({ points: points.slice(from, from + atOnce), states: {} });
    await records.addGap(gap);
    await records.addAttack({
      ...{ started_at: attack.from, ended_at: attack.to, peak: 5_400, usual: 880, denied: 190_000 },
      top_json: JSON.stringify({
        networks: [{ entry: entries[0], denied: 160_000 }],
        sites: [{ site: sites[0], denied: 150_000 }],
      }),
    });
    await new NoticesStore(database).apply([
      opened(attack.from, notice('attack 1', 'attack.started')),
      { kind: 'end', at: new Date(attack.to * 1_000), subject: 'attack 1' },
      opened(now - hour, notice('certificate c-1', 'certificate.expiring')),
    ]);
    const mark = { at: imported, kind: 'import', text: `Import: ${entryCount / 5} blocked, 0 unblocked` };
    const current = now - (now % hour);
    const addresses = entries.map((text, at) => ({
      ...{ key: sortKey(entryOf(text)), short: shortKey(entryOf(text)) },
      total: Math.round(240_000 / (at + 1)),
    }));
    for (let from = 0; from < addresses.length; from += atOnce) {
      const slice = addresses.slice(from, from + atOnce);
      await hits.write({
        knocking: slice.map(({ short, total }, at) => ({
          ...{ address: short, entry: short, total, counters: `1:${total}`, hour_hits: 1 },
          ...{ first_hit: now - 40 * day + at, last_hit: now - 1 - Math.floor(random() * (from + at) * 7) },
        })),
        entries: slice.map(({ key, total }, at) => ({
          ...{ sortKey: key, hits: total, firstHit: now - 40 * day + at, lastHit: now - 1 },
        })),
        gone: [],
      });
    }
    for (let back = 0; back < 24; back += 1) {
      const at = current - back * hour;
      const rows = addresses.slice(0, atOnce).map(({ key, total }) => ({
        sortKey: key,
        hits: Math.max(1, Math.round((total / 240) * tide(at) * random() * 2)),
      }));
      await hits.putHour(at, rows);
    }
    const collector: StoredCollector = {
      since: now - days * day,
      at: now,
      requests: null,
      denied: null,
      sites: {},
      open: 0,
    };
    await series.write({ points: [], states: { collector, marks: [mark] } });
    // Else their denied requests would be those of an earlier block.
    const blocked_at = new Date((now - 41 * day) * 1_000).toISOString();
    await database.write.updateTable('blocked_ips').set({ blocked_at }).execute();
  } finally {
    await database.close();
  }
}

function opened(at: number, words: NewNotice): NoticeStep {
  return { kind: 'open', at: new Date(at * 1_000), notice: words, repeats: false };
}

function notice(subject: string, type: 'attack.started' | 'certificate.expiring'): NewNotice {
  const own =
    type === 'attack.started'
      ? { title: 'Attack: 5,400 denied requests a minute', detail: 'All of them get 403.', page: '/denied' }
      : { title: 'A certificate expires in 5 days', detail: 'shop.example', page: '/certificates' };
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
