// The figures, as the API returns them.

import type { EntryHits } from '../api/blocked-entries.ts';
import type { Caller } from '../api/caller.ts';
import type { Ignored, KnockingQuery, SeriesQuery } from '../api/insight.ts';
import type {
  Attack,
  AttackDetail,
  Attacks,
  Candidates,
  InsightLimits,
  InsightSeries,
  InsightSummary,
  KnockingPage,
  Known,
  SiteTrafficList,
  SourceEffects,
} from '../api/insight-records.ts';
import { count } from '../domain/counted.ts';
import { codes } from '../errors/catalogue.ts';
import { ServiceError } from '../errors/service-error.ts';
import type { Emit } from '../events/facts.ts';
import { clientsTable, deniedTable, sitesTable } from '../haproxy/process/counting-tables.ts';
import { auditedChange } from '../store/audit-rows.ts';
import type { HitSnapshot } from '../store/columns/hit-columns.ts';
import type { EntryLookup } from '../store/entry-lookup.ts';
import type { HitsStore } from '../store/hits-store.ts';
import type { InsightStore, Attack as StoredAttack } from '../store/insight-store.ts';
import type { MatchCounts, NotHit } from '../store/match-counts.ts';
import type { Metric, SeriesStore } from '../store/series-store.ts';
import { type AttackTops, tops } from './attack-recorder.ts';
import { rowOf } from './candidate-watch.ts';
import { clientsAround, minuteValues } from './client-network.ts';
import { EntryHitFigures } from './entry-hits.ts';
import { type Insight, iso, type RunningInsight } from './insight.ts';
import type { InsightState } from './insight-observer.ts';
import { deniedInDay, knockingPage } from './knocking-page.ts';
import { sampledOneIn } from './loud-clients.ts';
import { inSteps, type Range, rangeBefore, rangeOf } from './ranges.ts';
import { firstHour } from './site-traffic.ts';
import { notWatchedText } from './watched-time.ts';

export type { NotHit } from '../store/match-counts.ts';

const daySeconds = 86_400;
const neverMatchedDays = 90;
/** Without attacks. */
const mostMarks = 200;
const mostAttacks = 1_000;
/** Shown before and after an attack, so that its rise and its end can be seen: a part of its length, at least as many seconds. */
const aroundAttack = { part: 0.25, least: 600 } as const;
const countEveryMs = 3_600_000;

/** A source with its claims. */
export interface CountedSource {
  readonly id: number;
  readonly name: string;
  readonly kind: string;
  readonly claims: number;
  readonly alone: number;
}

interface InsightServiceDeps {
  readonly insight: Insight;
  readonly series: SeriesStore;
  readonly records: InsightStore;
  readonly lookup: Pick<EntryLookup, 'around'>;
  readonly counts: MatchCounts;
  readonly hits: Pick<HitsStore, 'ofEntries'>;
  readonly sources: () => Promise<readonly CountedSource[]>;
  /** Their domains, also of those that HAProxy does not serve. */
  readonly sites: () => Promise<readonly string[]>;
  readonly sourceNames: () => Promise<ReadonlyMap<number, string>>;
  readonly reloadsSince: (from: string) => Promise<readonly { readonly at: string; readonly text: string }[]>;
  readonly entries: () => number;
  readonly emit: Emit;
  readonly now: () => Date;
}

export class InsightService {
  readonly #deps: InsightServiceDeps;
  readonly #entryHits: EntryHitFigures;
  #neverMatched: { readonly countedMs: number; readonly count: number; readonly of: number } | null = null;
  #counting: Promise<void> | null = null;

  constructor(deps: InsightServiceDeps) {
    this.#deps = deps;
    this.#entryHits = new EntryHitFigures(deps);
  }

  /** @param seconds the range  Errors: 7011. */
  async summary(seconds: number): Promise<InsightSummary> {
    const running = this.#running('get insight');
    const at = this.#seconds();
    const { entries, insight } = this.#deps;
    const range = rangeBefore(at, seconds);
    const before = { ...range, from: range.from - seconds, to: range.from };
    const known = await this.#known(at - seconds, at);
    const countsAddresses = insight.counts(deniedTable);
    let [addresses, fresh] = [0, 0];
    const { knocking } = running.state;
    for (const row of knocking.all()) {
      if (knocking.lastHitOf(row)! >= at - seconds) addresses += 1;
      if (knocking.firstHitOf(row) >= at - seconds) fresh += 1;
    }
    const open = running.attacks.id === null ? null : await this.#deps.records.attack(running.attacks.id);
    const { since } = running.state.collector;
    return {
      range_seconds: seconds,
      ...(await this.#sums(range)),
      addresses: countsAddresses ? addresses : null,
      new_addresses: countsAddresses ? fresh : null,
      entries: entries(),
      expiring_24h: await this.#deps.counts.expiring(iso(at), iso(at + daySeconds)),
      never_matched: await this.neverMatched(),
      candidates: insight.counts(clientsTable) ? running.candidates.count : null,
      attack: open === null ? null : { id: open.id, started_at: iso(open.started_at) },
      since: since === null ? null : iso(since),
      last_read_at: insight.reading === null ? null : iso(insight.reading.at),
      previous: await this.#sums(before),
      ...known,
    };
  }

  /** Errors: 7011. */
  async neverMatched(): Promise<InsightSummary['never_matched']> {
    const days = neverMatchedDays;
    const watched_days = await this.#running('get insight').watched.days(days, this.#seconds());
    if (watched_days < days) return { days, count: null, old_enough: null, watched_days };
    await this.#countNeverMatched();
    const { count, of } = this.#neverMatched ?? { count: null, of: null };
    return { days, count, old_enough: of, watched_days };
  }

  /**
   * Which entries denied nothing in the last seconds.
   * Errors: 7011; 7012 unless all of that time was watched, with 1 % in gaps at most.
   */
  async notHit(seconds: number): Promise<NotHit> {
    const { watched } = this.#running('select entries');
    // What was read but not stored would be missing in the selection.
    await this.#deps.insight.settle();
    const at = this.#seconds();
    const from = at - seconds;
    const shortfall = await watched.shortfall({ from, to: at });
    if (shortfall !== null)
      throw new ServiceError(
        codes.NotWatched,
        'select entries',
        notWatchedText(shortfall, Math.ceil(seconds / daySeconds)),
      );
    return { blockedBy: iso(from), since: from };
  }

  /** What lists are sorted by. Errors: 7011. */
  async hitSnapshot(): Promise<HitSnapshot> {
    return await this.#entryHits.snapshot(this.#running('list blocked addresses'), this.#seconds());
  }

  /** In the order of the entries; null: the figures are not loaded yet. @throws StoreError */
  async hitsOf(
    entries: readonly { readonly ip_address: string; readonly blocked_at: string }[],
    spark: boolean,
  ): Promise<(EntryHits | null)[]> {
    const { state } = this.#deps.insight;
    if (state === null) return entries.map(() => null);
    return await this.#entryHits.of(state, entries, { at: this.#seconds(), spark });
  }

  /** For the map. Resolves with whether all of the last 24 hours was watched. Errors: 7011. */
  async deniedInDay(each: (address: string, requests: number) => void): Promise<boolean> {
    const at = this.#seconds();
    await deniedInDay(this.#running('get a map').state.knocking, at, each);
    return (await this.#known(at - daySeconds, at)).complete;
  }

  /** For metrics. Null: switched off, or not loaded yet. @throws StoreError */
  async metrics(): Promise<InsightState | null> {
    if (this.#deps.insight.state === null) return null;
    const { days, count } = await this.neverMatched();
    return this.#deps.insight.metrics(count === null ? null : { days, count });
  }

  /** Errors: 7011. */
  async series({ metric = 'denied', by = 'none' }: SeriesQuery, seconds: number): Promise<InsightSeries> {
    this.#running('get series');
    const at = this.#seconds();
    const range = rangeBefore(at, seconds);
    const { series } = this.#deps;
    const { from, to, base: step } = range;
    const observed = await series.points({ metric, labels: [0], step, from, to });
    const how = metric === 'addresses' ? 'most' : metric === 'entries' ? 'last' : 'sum';
    const all = inSteps(observed, range, how);
    const known = await this.#known(from, at);
    const head = { from: iso(from), step_seconds: range.step, marks: await this.#marks(range, known.gaps), ...known };
    if (by === 'none' || metric !== 'denied') return { ...head, labels: [metric], values: [all], sampled: null };
    const names = await series.labels(by);
    const points = await series.points({ metric, labels: [...names.keys()], step, from, to });
    const byLabel = Map.groupBy(points, ({ label }) => label);
    const labelled = [...byLabel].map(([label, own]) => {
      const values = inSteps(own, range, how);
      // A step that was watched, and in which it had none.
      return {
        name: names.get(label)!,
        values: values.map((value, index) => value ?? (all[index] == null ? null : 0)),
      };
    });
    return {
      ...head,
      labels: labelled.map(({ name }) => name),
      values: labelled.map(({ values }) => values),
      sampled: by === 'site' ? { one_in: sampledOneIn } : null,
    };
  }

  /** Errors: 7011; InvalidCursor. */
  async knocking(query: KnockingQuery, seconds: number): Promise<KnockingPage> {
    const { knocking } = this.#running('list addresses').state;
    const at = this.#seconds();
    const page = knockingPage(knocking, query, { at, seconds });
    // Before anything is awaited: a row may be forgotten.
    const denied = page.items.map(({ row, hits }) => ({
      ip_address: knocking.textOf(row),
      entry: knocking.entryOf(row),
      ...{ hits, total: knocking.totalOf(row), first_hit: iso(knocking.firstHitOf(row)) },
      ...{ last_hit: iso(knocking.lastHitOf(row)!), spark: knocking.hours.values(row) },
    }));
    const entries = denied.flatMap(({ entry }) => (entry === null ? [] : [entry]));
    const around = await this.#deps.lookup.around([...new Set(entries)]);
    const names = await this.#deps.sourceNames();
    const items = denied.map(({ ip_address, entry, ...figures }) => {
      const now = entry === null ? undefined : around.get(entry);
      const is = now?.entry === entry ? now : undefined;
      const source = is === undefined ? null : (names.get(is.source) ?? null);
      return { ip_address, entry: is?.entry ?? null, source, ...figures };
    });
    return { items, total: page.total, next_cursor: page.nextCursor, ...(await this.#known(at - seconds, at)) };
  }

  /** Errors: 7011. @throws the reason of the signal */
  async sourceEffects(seconds: number, signal?: AbortSignal): Promise<SourceEffects> {
    const { sources } = this.#running('list sources');
    const at = this.#seconds();
    const { series, counts } = this.#deps;
    const range = rangeBefore(at, seconds);
    const matched = await counts.hitBySource(at - 30 * daySeconds, signal);
    const names = await series.labels('source');
    const { from, to, base: step } = range;
    const sums = new Map<string, number>();
    for (const { label, value } of await series.points({ metric: 'denied', labels: [...names.keys()], step, from, to }))
      sums.set(names.get(label)!, (sums.get(names.get(label)!) ?? 0) + value);
    const { denied: all } = await this.#sums(range);
    const items = (await this.#deps.sources()).map(({ id, name, kind, claims, alone }) => {
      const denied = Math.round(sums.get(name) ?? 0);
      const last = sources.lastMatch(id);
      return {
        ...{ source: name, kind, entries: claims, only_here: alone, matched_30d: matched.get(id) ?? 0, denied },
        share: all === null || all === 0 ? null : Math.min(1, denied / all),
        last_match: last === null ? null : iso(last),
      };
    });
    return { items, ...(await this.#known(at - seconds, at)) };
  }

  /** Of the last 24 hours. Errors: 7011. */
  async siteTraffic(): Promise<SiteTrafficList> {
    const { traffic } = this.#running('list sites').state.collector;
    const at = this.#seconds();
    const countsDenied = this.#deps.insight.reading?.used.has(sitesTable.name) === true;
    const items = (await this.#deps.sites()).map((site) => {
      const { served, requests, server_errors, response_ms, denied } = traffic.of(site, at);
      return {
        site,
        denied: countsDenied ? denied : null,
        requests: served ? requests : null,
        server_errors: served ? server_errors : null,
        response_ms: requests === 0 ? null : Math.round(response_ms / requests),
      };
    });
    return { items, sampled: { one_in: sampledOneIn }, ...(await this.#known(firstHour(at), at)) };
  }

  /** Errors: 7011. */
  async candidates(): Promise<Candidates> {
    const { candidates, clients } = this.#running('list candidates');
    const at = this.#seconds();
    const items = (await candidates.list(at)).map(({ client, over }) => ({
      ip_address: client.address,
      rate: over.rate,
      requests: over.requests,
      error_share: over.requests === 0 ? 0 : over.errors / over.requests,
      active_since: iso(client.activeSince),
      ...clientsAround(clients, client.address),
      spark: minuteValues(client, at),
    }));
    const known = await this.#known(at - 600, at);
    const { insight } = this.#deps;
    const sampled = insight.counts(clientsTable) ? { one_in: sampledOneIn } : null;
    return { limits: insight.limits.value, items, sampled, ...known };
  }

  /** Errors: 7011. */
  async ignore(address: string, seconds: number, caller: Caller): Promise<Ignored> {
    const { clients } = this.#running('ignore candidate');
    const at = this.#seconds();
    const until = seconds === 0 ? null : at + seconds;
    const details = { ignored_for_seconds: seconds };
    const audited = auditedChange('ignore_candidate', caller, { ipAddress: address, details });
    const row = rowOf({ ...clients.get(address, at), ignoredUntil: until });
    await this.#deps.records.putClient(row, this.#deps.now(), audited);
    clients.ignore(address, until, at);
    this.#deps.emit('operation.done', { operation: 'ignore_candidate', caller, subject: { ip_address: address } });
    return { ip_address: address, ignored_until: until === null ? null : iso(until) };
  }

  /** Errors: 7011. */
  async limits(): Promise<InsightLimits> {
    this.#running('get limits');
    return this.#deps.insight.limits.value;
  }

  /** Errors: 7011. */
  async setLimits(limits: InsightLimits, caller: Caller): Promise<InsightLimits> {
    this.#running('set limits');
    await this.#deps.insight.limits.put(
      limits,
      this.#deps.now(),
      auditedChange('set_limits', caller, { details: limits }),
    );
    this.#deps.emit('operation.done', { operation: 'set_limits', caller, subject: {} });
    return limits;
  }

  /** Newest first. Errors: 7011. */
  async attacks(): Promise<Attacks> {
    this.#running('list attacks');
    return { items: (await this.#deps.records.attacks(mostAttacks)).map(attackOf) };
  }

  /** Errors: 1100; 7011. */
  async attack(id: number): Promise<AttackDetail> {
    this.#running('get attack');
    const attack = await this.#deps.records.attack(id);
    if (attack === null) throw new ServiceError(codes.NotFound, 'get attack', `there is no attack ${id}`);
    const at = this.#seconds();
    const end = attack.ended_at ?? at;
    const margin = Math.max(aroundAttack.least, Math.ceil((end - attack.started_at) * aroundAttack.part));
    const until = Math.min(end + margin, at);
    const range = rangeOf(attack.started_at - margin, until, at);
    const { from, to, base: step } = range;
    const points = await this.#deps.series.points({ metric: 'denied', labels: [0], step, from, to });
    const { networks } = JSON.parse(attack.top_json) as AttackTops;
    const around = await this.#deps.lookup.around(networks.map(({ entry }) => entry));
    const names = await this.#deps.sourceNames();
    const entries = networks.map(({ entry, denied }) => {
      const now = around.get(entry);
      return { entry, denied, source: now?.entry === entry ? (names.get(now.source) ?? null) : null };
    });
    const steps = { from: iso(from), step_seconds: range.step, values: inSteps(points, range, 'sum') };
    const sampled = { one_in: sampledOneIn };
    return { ...attackOf(attack), entries, ...steps, sampled, ...(await this.#known(from, until)) };
  }

  #running(op: string): RunningInsight {
    const running = this.#deps.insight.state;
    if (running !== null) return running;
    throw new ServiceError(codes.InsightLoading, op, 'the figures of denied requests are not loaded yet', {
      retryAfterSeconds: 2,
    });
  }

  async #known(from: number, to: number): Promise<Known> {
    const { state, watched } = this.#running('get insight');
    const { since } = state.collector;
    const gaps = (await watched.gaps(from, this.#seconds())).filter((gap) => gap.from < to);
    return {
      complete: since !== null && since <= from && gaps.length === 0,
      gaps: gaps.map(({ from: begin, to: end, cause }) => ({ from: iso(begin), to: iso(end), cause })),
    };
  }

  async #sums(range: Range) {
    const sum = async (metric: Metric): Promise<number | null> => {
      const { from, to, base: step } = range;
      const points = await this.#deps.series.points({ metric, labels: [0], step, from, to });
      return points.length === 0 ? null : Math.round(points.reduce((all, { value }) => all + value, 0));
    };
    return {
      denied: await sum('denied'),
      requests: await sum('requests'),
      not_attributed: await sum('not_attributed'),
    };
  }

  async #marks({ from, to }: Range, gaps: Known['gaps']): Promise<InsightSeries['marks']> {
    const attacks = (await this.#deps.records.attacks(mostAttacks)).filter(
      ({ started_at: begin, ended_at: end }) => begin < to && (end === null || end > from),
    );
    const reloads = await this.#deps.reloadsSince(iso(from));
    const earlierFirst = (a: { readonly at: string }, b: { readonly at: string }): number => (a.at < b.at ? -1 : 1);
    const latest = [
      ...this.#deps.insight.marks.between(from, to).map(({ at, kind, text }) => ({ at: iso(at), kind, text })),
      ...gaps.map((gap) => ({ at: gap.from, kind: 'gap' as const, text: `Gap: ${gap.cause}` })),
      ...reloads.map(({ at, text }) => ({ at, kind: 'reload' as const, text })),
    ]
      .sort(earlierFirst)
      .slice(-mostMarks);
    // All of them: one that began before the range is the oldest mark, and covers a part of the range.
    const shaded = attacks.map(({ started_at, ended_at, peak }) => ({
      at: iso(started_at),
      kind: 'attack' as const,
      text: `Attack: up to ${count(peak)} denied requests a minute`,
      ended_at: ended_at === null ? null : iso(ended_at),
    }));
    return [...latest, ...shaded].sort(earlierFirst);
  }

  /** At most once an hour; the first caller waits for it. */
  async #countNeverMatched(): Promise<void> {
    const counted = this.#neverMatched?.countedMs ?? Number.NEGATIVE_INFINITY;
    if (performance.now() - counted < countEveryMs) return;
    this.#counting ??= this.#count().finally(() => {
      this.#counting = null;
    });
    if (this.#neverMatched === null) await this.#counting;
  }

  async #count(): Promise<void> {
    const since = this.#seconds() - neverMatchedDays * daySeconds;
    const counted = await this.#deps.counts.notHit({ blockedBy: iso(since), since });
    this.#neverMatched = { countedMs: performance.now(), ...counted };
  }

  #seconds(): number {
    return Math.floor(this.#deps.now().getTime() / 1_000);
  }
}

function attackOf({ id, started_at, ended_at, peak, usual, denied, top_json }: StoredAttack): Attack {
  const { networks, sites } = JSON.parse(top_json) as AttackTops;
  return {
    ...{ id, started_at: iso(started_at), ended_at: ended_at === null ? null : iso(ended_at), peak, usual, denied },
    ...{ top_networks: networks.slice(0, tops), top_sites: sites.slice(0, tops) },
  };
}
