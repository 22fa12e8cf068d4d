import type { BlockedIp, BlockedIpDetail } from '../api/blocked-entries.ts';
import type { BlockAnswer } from '../api/blocked-ips.ts';
import type { BulkAnswer, Rejection, SyncAnswer } from '../api/blocked-ips-bulk.ts';
import type { Caller } from '../api/caller.ts';
import type { CheckAnswer } from '../api/check.ts';
import type { IpEntry } from '../domain/ip.ts';
import { specialOf } from '../domain/special-ranges.ts';
import { knownCdn } from '../domain/upstream-presets.ts';
import { codes } from '../errors/catalogue.ts';
import { ServiceError } from '../errors/service-error.ts';
import { auditedChange } from '../store/audit-rows.ts';
import type { BlockedIpsStore } from '../store/blocked-ips-store.ts';
import type { StagedRow } from '../store/bulk-store.ts';
import type { ClaimSelection } from '../store/claim-search.ts';
import { MANUAL } from '../store/claims.ts';
import type { Growth } from '../store/group-effects.ts';
import type { AddressChecker } from './address-checker.ts';
import { type ChangeCounts, countsOf, notBlocked, runtimeReport } from './answers.ts';
import type {
  BatchOptions,
  BatchRequest,
  BlockedListQuery,
  BlockedPage,
  BlockedSetService,
  BulkItem,
  ClaimedQuery,
  EntryQuery,
  ReplaceOptions,
  RequestedBlock,
  Unblock,
  Unblocked,
} from './blocked-set-service.ts';
import type { BulkResult, BulkRunner } from './bulk/bulk-runner.ts';
import type { Synchroniser } from './compare/sync.ts';
import { coveringOf, stillBlocked } from './covering-networks.ts';
import type { Exceptions, TrustBefore } from './exceptions.ts';
import { textPages } from './mirrored-map.ts';
import { type ClaimingSource, isBound, manualName, type NamedSource, type Sources, sourceOf } from './sources.ts';
import { claimedByLists, droppedFromList, nothingToDrop } from './unblock-refusals.ts';
import type { Admission, AdmittedBatch, AdmittedBlock } from './write/admission.ts';
import { NotedEntries } from './write/admission.ts';
import { changeFailure } from './write/change-failure.ts';
import type { EntryLimit } from './write/entry-limit.ts';
import type { GroupWriter } from './write/group-writer.ts';
import type { Outcomes } from './write/outcomes.ts';

/** Of the two seconds of promise 3; the rest is for the response. */
export const runtimeBudgetMs = 1_400;
/** Up to this size a batch is one group with a read-back per address; larger ones and slow deletes are staged. */
const groupedUpTo = 1_000;
const listedRejections = 1_000;
const textsInPage = 2_000;

interface Blocked {
  readonly created: boolean;
  readonly changed: boolean;
  readonly answer: BlockAnswer;
  readonly counts: ChangeCounts;
}

interface StoredBatch {
  readonly changes: readonly StagedRow[];
  readonly rejected: Rejected;
  readonly source: NamedSource | undefined;
  readonly trust: TrustBefore;
}

interface Rejected {
  readonly total: number;
  readonly first: readonly Rejection[];
}

interface BlockedSetDeps {
  readonly store: BlockedIpsStore;
  readonly writer: GroupWriter;
  readonly bulk: BulkRunner;
  readonly synchroniser: Synchroniser;
  readonly checker: AddressChecker;
  readonly admission: Admission;
  readonly sources: Sources;
  readonly exceptions: Exceptions;
  readonly outcomes: Outcomes;
  readonly limit: EntryLimit;
  /** Why the live workers are not known to be in sync; null: they are. */
  readonly notVerified: () => string | null;
  readonly now: () => Date;
}

export class BlockedSet implements BlockedSetService {
  readonly #deps: BlockedSetDeps;

  constructor(deps: BlockedSetDeps) {
    this.#deps = deps;
  }

  async block(
    request: RequestedBlock,
    caller: Caller,
  ): Promise<{ created: boolean; changed: boolean; answer: BlockAnswer }> {
    const { sources, admission } = this.#deps;
    const byList = () => sources.actsOnList(request.source, caller);
    const admitted = await admission.admitOne(request, caller, byList);
    return await sources.claiming(request.source, 'agent', caller, async (source) => {
      const trust = this.#deps.exceptions.before();
      const { counts, ...blocked } = await this.#blockFor(source, request, admitted, { caller, note: trust.note });
      await afterStoring(counts, () => sources.claimsAgain(source));
      if (request.force) return blocked;
      // Trust may have been stored since the block was admitted.
      const done = { answer: blocked.answer, counts, trust };
      const answer =
        source?.kind === 'list'
          ? blocked.answer
          : await this.#deps.exceptions.endedBy([request.entry], source?.id ?? MANUAL, caller, done);
      const overriddenBy = await afterStoring(counts, () => admission.overriding(request.entry));
      return { ...blocked, answer: { ...answer, ...(overriddenBy.length > 0 && { overridden_by: overriddenBy }) } };
    });
  }

  async #blockFor(
    source: NamedSource | undefined,
    request: RequestedBlock,
    { change: wanted, overriddenBy, trustedInside, upstreamsInside }: AdmittedBlock,
    { caller, note }: { readonly caller: Caller; readonly note: () => void },
  ): Promise<Blocked> {
    const change = ofSource(wanted, source);
    const author = { operation: 'block', caller, source: source?.name ?? manualName };
    const result = await this.#deps.writer.change([change], 'urgent', deadlineOf(caller), author, { note });
    const [effect] = result.effects;
    if (effect?.op !== 'add') throw new Error('the writer returned no result of an addition');
    const report = this.#deps.outcomes.reportChange('block', request.entry.text, result, caller);
    const special = specialOf(request.entry);
    const cdn = knownCdn(request.entry);
    const counts = countsOf(result.effects);
    const claims = await afterStoring(counts, () => this.#deps.sources.shown(effect.claims));
    return {
      created: effect.created,
      changed: effect.changed,
      counts,
      answer: {
        ...effect.row,
        ...(claims === undefined ? {} : { claims }),
        ...report,
        ...(special === null ? {} : { special }),
        ...(cdn === null ? {} : { known_cdn: cdn }),
        ...(overriddenBy.length > 0 ? { overridden_by: overriddenBy } : {}),
        ...(trustedInside.length > 0 ? { trusted_inside: trustedInside } : {}),
        ...(upstreamsInside.length > 0 ? { upstreams_inside: upstreamsInside } : {}),
      },
    };
  }

  async unblock(entry: IpEntry, caller: Caller, { source: asked, trustFor }: Unblock = {}): Promise<Unblocked> {
    const name = sourceOf(asked, caller);
    const source = name === undefined ? undefined : await this.#deps.sources.find(name);
    if (source?.kind === 'list' && !isBound(caller)) throw droppedFromList(source);
    if (trustFor === undefined) return await this.#drop(entry, caller, source, { orFail: () => true });
    let dropped = false;
    const answer = await this.#deps.exceptions.unblocked({ entry, seconds: trustFor }, caller, async (trust) => {
      let isTrusted = false;
      const first = async (): Promise<void> => {
        if ((await this.#deps.store.get(entry.text)) === null) return;
        await trust();
        isTrusted = true;
      };
      const done = await this.#drop(entry, caller, source, { orFail: () => !isTrusted, first });
      dropped = done.dropped;
      return done.answer;
    });
    return { dropped, answer };
  }

  async #drop(
    entry: IpEntry,
    caller: Caller,
    source: NamedSource | undefined,
    { orFail, first }: { readonly orFail: () => boolean; readonly first?: () => Promise<void> },
  ): Promise<Unblocked> {
    const change = ofSource({ op: 'remove', entry } as const, source);
    const author = { operation: 'unblock', caller, source: source?.name };
    const hooks = first === undefined ? {} : { first };
    const result = await this.#deps.writer.change([change], 'urgent', deadlineOf(caller), author, hooks);
    const [effect] = result.effects;
    if (effect?.op !== 'remove') throw new Error('the writer returned no result of a removal');
    const stray = result.strays.has(entry.text);
    // It may still be blocked, by claims of other sources.
    const done = effect.removed !== null || (effect.dropped ?? []).length > 0;
    const report =
      done || stray
        ? this.#deps.outcomes.reportChange('unblock', entry.text, result, caller)
        : runtimeReport(result.failures, false);
    // After the report: the change is enforced even if the database can no longer be read.
    const counts = countsOf(result.effects);
    const covering = await afterStoring(counts, () => coveringOf(this.#deps.store, entry));
    const claims = await afterStoring(counts, () => this.#deps.sources.named(effect.stillClaimedBy ?? []));
    const still = claims.length === 0 ? {} : { still_claimed_by: claims };
    if (!done && orFail()) {
      if (effect.stillClaimedBy !== undefined && source === undefined) throw claimedByLists(entry, claims);
      throw nothingToDrop(entry, source, { covering, still, stray, report });
    }
    return { dropped: done, answer: { ip_address: entry.text, still_blocked_by: covering, ...still, ...report } };
  }

  async batch(request: BatchRequest, caller: Caller, options: BatchOptions = {}): Promise<BulkAnswer> {
    const { sources, admission } = this.#deps;
    const byList = () => sources.actsOnList(options.source, caller);
    const admitted = await admission.admitBatch(request, options, caller, byList);
    const batch = (source: NamedSource | undefined) => this.#batchFor(source, admitted, request, caller, options);
    const claims = options.dryRun !== true && admitted.changes.some(({ op }) => op === 'add');
    if (claims) {
      return await sources.claiming(options.source, 'agent', caller, async (source) => {
        const answer = await batch(source);
        await afterStoring(answer, () => sources.claimsAgain(source));
        return answer;
      });
    }
    return await batch(await sources.toPreview(options.source, 'agent', caller));
  }

  async #batchFor(
    source: NamedSource | undefined,
    { changes: wanted, rejected: own, noted, unforced }: AdmittedBatch,
    request: BatchRequest,
    caller: Caller,
    options: BatchOptions,
  ): Promise<BulkAnswer> {
    if (source?.kind === 'list' && !isBound(caller) && request.remove.length > 0) throw droppedFromList(source);
    const changes = wanted.map((change) => ofSource(change, source));
    const all = [...request.rejected, ...own];
    const rejected = { total: all.length, first: all.slice(0, listedRejections) };
    const removals = changes.flatMap((change) => (change.op === 'remove' ? [change.entry] : []));
    if (options.dryRun === true) {
      const { effects, net, further } = await this.#deps.store.preview(changes, this.#deps.now());
      this.#refuseFull({ entries: net.added.length - net.removed.length, further }, source);
      const answer = { ...this.#dryRunAnswer(countsOf(effects), rejected), ...noted.members };
      return removals.length === 0
        ? answer
        : { ...answer, ...(await stillBlocked(this.#deps.store, removals, new Set(net.removed))) };
    }
    const trust = this.#deps.exceptions.before();
    const batch = { changes, rejected, source, trust };
    const stored =
      changes.length > groupedUpTo || removals.length > this.#deps.writer.removalsAtMost
        ? await this.#stagedBatch(batch, caller)
        : await this.#groupedBatch(batch, caller);
    const done = { answer: stored, counts: stored, trust };
    const answer =
      source?.kind === 'list'
        ? stored
        : await this.#deps.exceptions.endedBy(unforced, source?.id ?? MANUAL, caller, done);
    return {
      ...answer,
      ...noted.members,
      ...(removals.length > 0 ? await afterStoring(answer, () => stillBlocked(this.#deps.store, removals)) : {}),
    };
  }

  async #stagedBatch({ changes, rejected, source, trust }: StoredBatch, caller: Caller): Promise<BulkAnswer> {
    const rows = async function* (): AsyncIterable<readonly StagedRow[]> {
      yield changes;
    };
    const done = await this.#deps.bulk.run(rows(), {
      replace: false,
      source,
      allowShrink: true,
      requestedBy: caller.keyName,
      audited: (entries) => auditedChange('batch', caller, { details: { entries, ...named(source) } }),
      condition: async () => {
        trust.note();
        return true;
      },
    });
    return this.#deps.outcomes.reportBulk('batch', done, rejected, caller);
  }

  async #groupedBatch({ changes, rejected, source, trust }: StoredBatch, caller: Caller): Promise<BulkAnswer> {
    if (changes.length === 0) return this.#deps.outcomes.reportBulk('batch', this.#nothingDone(), rejected, caller, []);
    const lane = changes.length <= 100 ? 'urgent' : 'bulk';
    const author = { operation: 'batch', caller, source: source?.name };
    const result = await this.#deps.writer.change(changes, lane, deadlineOf(caller), author, { note: trust.note });
    const { effects, failures, currentFailed } = result;
    const done = { ...countsOf(effects), failures, failuresTotal: failures.length, currentFailed };
    const answer = this.#deps.outcomes.reportBulk('batch', done, rejected, caller, effects);
    return changes.every(({ op }) => op === 'add') ? answer : { ...answer, not_blocked: notBlocked(changes, effects) };
  }

  async replaceAll(
    items: AsyncIterable<readonly BulkItem[]>,
    options: ReplaceOptions,
    caller: Caller,
  ): Promise<BulkAnswer> {
    const { allowShrink, allowWide = false, dryRun = false } = options;
    const first: Rejection[] = [];
    let total = 0;
    const reject = (rejection: Rejection): void => {
      total += 1;
      if (first.length < listedRejections) first.push(rejection);
    };
    const noted = new NotedEntries();
    const { sources } = this.#deps;
    const source = await sources.toPreview(options.source, 'list', caller);
    let claimant: ClaimingSource | undefined;
    const done = await this.#deps.bulk.run(
      this.#deps.admission.admitStream(items, options, { reject, noted }, caller),
      {
        replace: true,
        source,
        // Not earlier: an invalid list leaves no new source behind.
        ensureSource: async () => {
          claimant = await sources.toClaim(options.source, 'list', caller);
          return claimant;
        },
        allowShrink,
        dryRun,
        requestedBy: caller.keyName,
        audited: (entries) =>
          auditedChange('replace', caller, {
            details: {
              entries,
              allow_shrink: allowShrink,
              ...(allowWide && { allow_wide: true }),
              ...named(source),
            },
          }),
      },
    );
    if (dryRun) return { ...this.#dryRunAnswer(done, { total, first }), ...noted.members };
    await afterStoring(done, () => sources.claimsAgain(claimant));
    return { ...this.#deps.outcomes.reportBulk('replace', done, { total, first }, caller), ...noted.members };
  }

  async sync(caller: Caller, options: { readonly acceptMapFile?: boolean } = {}): Promise<SyncAnswer> {
    const answer = await this.#deps.synchroniser.sync({ acceptMapFile: options.acceptMapFile === true });
    this.#deps.outcomes.reportSync(answer, caller);
    return answer;
  }

  async list(query: BlockedListQuery): Promise<BlockedPage> {
    const now = this.#deps.now();
    const { source, ...texts } = query.claimed ?? {};
    // The columns know the sources, but no texts.
    const byColumns = source !== undefined && Object.keys(texts).length === 0;
    const page = await this.#deps.store.page({
      order: query.order,
      filter: await this.#entryFilter({ ...query.entries, ...(byColumns && { source }) }),
      limit: query.limit,
      cursor: query.cursor,
      offset: query.offset,
      q: query.q,
      text: query.text,
      expiringOnly: query.expiring,
      claimed: query.claimed === null || byColumns ? null : await this.#selection(query.claimed),
      hits: query.hits && { snapshot: query.hits, now: secondsOf(now) },
      now,
      signal: query.signal,
    });
    return { items: await this.#withClaims(page.items), next_cursor: page.nextCursor, total: page.total };
  }

  async *listTexts(claimed: ClaimedQuery | null = null): AsyncGenerator<readonly string[]> {
    if (claimed === null) return yield* textPages(this.#deps.store, textsInPage);
    yield* this.#deps.store.claimedTexts(await this.#selection(claimed), this.#deps.now());
  }

  /** Undefined: all. Errors: 1100 for an unknown source. */
  async #entryFilter({ source, blockedSince, hitSince, ...same }: EntryQuery & Pick<ClaimedQuery, 'source'>) {
    const filter = {
      ...same,
      ...(blockedSince !== undefined && { blockedSince: secondsOf(blockedSince) }),
      ...(hitSince !== undefined && { hitSince: secondsOf(hitSince) }),
      ...(source !== undefined && { source: (await this.#deps.sources.find(source)).id }),
    };
    return Object.keys(filter).length === 0 ? undefined : filter;
  }

  /** Errors: 1100 for an unknown source. */
  async #selection({ source, reason, blocked_by: blockedBy, notHit }: ClaimedQuery): Promise<ClaimSelection> {
    return {
      reason,
      blockedBy,
      notHit,
      ...(source !== undefined && { source: (await this.#deps.sources.find(source)).id }),
    };
  }

  async get(entry: IpEntry): Promise<Omit<BlockedIpDetail, 'hits'>> {
    const row = await this.#deps.store.get(entry.text);
    const covering = await coveringOf(this.#deps.store, entry);
    if (row === null) {
      throw new ServiceError(
        codes.NotFound,
        'get blocked address',
        `${entry.text} has no entry of its own${
          covering.length > 0 ? `; it is covered by ${covering.join(', ')}` : ''
        }`,
        {
          members: { covered_by: covering },
        },
      );
    }
    const [shown] = await this.#withClaims([row]);
    return { ...shown!, covered_by: covering, workers: await this.#deps.checker.holdings(entry) };
  }

  async #withClaims(rows: readonly BlockedIp[]): Promise<BlockedIp[]> {
    const all = await this.#deps.sources.claimsOf(rows);
    return rows.map((row) => {
      const claims = all.get(row.ip_address);
      return claims === undefined ? row : { ...row, claims };
    });
  }

  async check(entry: IpEntry): Promise<CheckAnswer> {
    return await this.#deps.checker.check(entry);
  }

  /** Reports size and limit of the set, because the batches of a long list are counted one by one. */
  #dryRunAnswer({ added, updated, removed, unchanged, ...more }: ChangeCounts, { total, first }: Rejected): BulkAnswer {
    const { still_claimed_total } = more;
    const stays = still_claimed_total === undefined ? {} : { still_claimed_total };
    const counts = { added, updated, removed, unchanged, ...stays, rejected_total: total };
    const limit = this.#deps.limit.maximum;
    const size = { current_total: this.#deps.store.total, ...(limit === null ? {} : { limit }) };
    return { ...counts, rejected: first, dry_run: true, ...size, ...runtimeReport([], false) };
  }

  #refuseFull({ entries, further }: Growth, source: NamedSource | undefined): void {
    const { limit, store } = this.#deps;
    const { total, furtherClaims: claims } = store;
    if (entries > 0 && !limit.allows(total + entries)) throw limit.refusal(total, total + entries);
    const isOfOtherSource = source !== undefined && source.name !== manualName;
    if (isOfOtherSource && further > 0 && !limit.allows(claims + further))
      throw limit.refusalOfClaims(claims, claims + further);
  }

  #nothingDone(): BulkResult {
    const reason = this.#deps.notVerified();
    const failures = reason === null ? [] : [{ ip_address: '', worker: null, command: '', responses: [], reason }];
    return { ...countsOf([]), failures, failuresTotal: failures.length, currentFailed: false };
  }
}

function ofSource<Change extends object>(change: Change, source: NamedSource | undefined): Change {
  return source === undefined ? change : { ...change, source: source.id };
}

/** For the audit log. */
function named(source: NamedSource | undefined): { source?: string } {
  return source === undefined || source.name === manualName ? {} : { source: source.name };
}

/** Reads for the response to a committed change: an error still reports what is stored. */
async function afterStoring<T>(stored: ChangeCounts, look: () => Promise<T>): Promise<T> {
  try {
    return await look();
  } catch (error) {
    throw changeFailure(error, stored);
  }
}

function deadlineOf(caller: Caller): number {
  return caller.receivedAt + runtimeBudgetMs;
}

function secondsOf(time: Date): number {
  return Math.floor(time.getTime() / 1_000);
}
