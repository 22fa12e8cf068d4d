// The blocked set as the API knows it: blocks, unblocks, lists, big changes. Each answer says what was proved.
import { setImmediate } from 'node:timers/promises';
import { type IpEntry, lookupForms } from '../domain/ip.ts';
import { codes } from '../errors/catalogue.ts';
import { ServiceError } from '../errors/service-error.ts';
import type { BlockedChange, BlockedEffect, BlockedIpsStore, ExpiryChange } from '../store/blocked-ips-store.ts';
import type { StagedRow } from '../store/bulk-store.ts';
import { type Tell, tellNobody } from '../telemetry/activity.ts';
import type { Log } from '../telemetry/log.ts';
import type { AddressChecker } from './address-checker.ts';
import type {
  BlockAnswer,
  BlockedIpDetail,
  BlockedIpPage,
  BlockRequest,
  BulkAnswer,
  BulkItem,
  Caller,
  CheckAnswer,
  Expiry,
  Rejection,
  RuntimeReport,
  SyncAnswer,
  UnblockAnswer,
} from './answers.ts';
import { auditedChange } from './audit-notes.ts';
import type { BlockedListQuery, BlockedSetService } from './blocked-set-service.ts';
import type { BulkResult, BulkRunner } from './bulk-runner.ts';
import type { ChangeResult, GroupWriter } from './group-writer.ts';
import { runtimeReport } from './runtime-report.ts';
import type { Synchroniser } from './sync.ts';
import type { TrustedEntries } from './trust.ts';

/** Of the two seconds that promise 3 gives a request; the rest is for its answer. */
export const runtimeBudgetMs = 1_400;
/** Up to here a batch is one group with a read-back for each address; beyond, or where deletes are slow, it is staged. */
const groupedUpTo = 1_000;
const listedRejections = 1_000;
/** More at once are told as one event with counts: a reader of events has room for some thousands. */
const toldOneByOne = 100;
const scanPage = 5_000;

export class BlockedSet implements BlockedSetService {
  readonly #store: BlockedIpsStore;
  readonly #writer: GroupWriter;
  readonly #bulk: BulkRunner;
  readonly #synchroniser: Synchroniser;
  readonly #checker: AddressChecker;
  readonly #trusted: TrustedEntries;
  readonly #notSeenWhole: () => string | null;
  readonly #scheduleReload: (reason: string) => boolean;
  readonly #log: Log;
  readonly #tell: Tell;
  readonly #now: () => Date;

  constructor(options: {
    readonly store: BlockedIpsStore;
    readonly writer: GroupWriter;
    readonly bulk: BulkRunner;
    readonly synchroniser: Synchroniser;
    readonly checker: AddressChecker;
    readonly trusted: TrustedEntries;
    /** Why it is not known that every live worker holds the whole set; null: it is. */
    readonly notSeenWhole: () => string | null;
    /** False: no reload of this configuration could enforce anything, so none is scheduled. */
    readonly scheduleReload: (reason: string) => boolean;
    readonly log: Log;
    readonly tell?: Tell | undefined;
    readonly now: () => Date;
  }) {
    this.#store = options.store;
    this.#writer = options.writer;
    this.#bulk = options.bulk;
    this.#synchroniser = options.synchroniser;
    this.#checker = options.checker;
    this.#trusted = options.trusted;
    this.#notSeenWhole = options.notSeenWhole;
    this.#scheduleReload = options.scheduleReload;
    this.#log = options.log;
    this.#tell = options.tell ?? tellNobody;
    this.#now = options.now;
  }

  async block(request: BlockRequest, caller: Caller): Promise<{ created: boolean; answer: BlockAnswer }> {
    const { entry } = request;
    const overriddenBy = this.#trusted.covering(entry);
    if (overriddenBy.length > 0 && !request.force) throw coveredByTrust(entry, overriddenBy);
    const trustedInside = this.#trusted.inside(entry);
    const result = await this.#writer.change([this.#toChange(request, caller)], 'urgent', deadlineOf(caller), {
      operation: 'block',
      caller,
    });
    const [effect] = result.effects;
    if (effect?.op !== 'add') throw new Error('the writer answered an addition with something else');
    const report = this.#report('block', entry.text, result, caller);
    this.#tellEffects(result.effects, report, caller.keyName);
    return {
      created: effect.created,
      answer: {
        ...effect.row,
        ...report,
        ...(overriddenBy.length > 0 ? { overridden_by: overriddenBy } : {}),
        ...(trustedInside.length > 0 ? { trusted_inside: trustedInside } : {}),
      },
    };
  }

  async unblock(entry: IpEntry, caller: Caller): Promise<UnblockAnswer> {
    const result = await this.#writer.change([{ op: 'remove', entry }], 'urgent', deadlineOf(caller), {
      operation: 'unblock',
      caller,
    });
    const covering = await this.#coveringOf(entry);
    const [effect] = result.effects;
    if (effect?.op !== 'remove') throw new Error('the writer answered a removal with something else');
    const stray = result.strays.has(entry.text);
    if (effect.removed === null) {
      // Nothing was unblocked, so there is nothing to enforce by a reload either.
      const report = stray
        ? this.#report('unblock', entry.text, result, caller)
        : runtimeReport(result.failures, false);
      throw new ServiceError(
        codes.NotFound,
        'unblock',
        `${entry.text} is not blocked by an entry of its own${
          covering.length > 0 ? `; it is covered by ${covering.join(', ')}` : ''
        }${stray ? '; a stray entry of it in the map was removed' : ''}`,
        { members: { covered_by: covering, stray_removed: stray, ...report } },
      );
    }
    const report = this.#report('unblock', entry.text, result, caller);
    this.#tellEffects(result.effects, report, caller.keyName);
    return { ip_address: entry.text, still_blocked_by: covering, ...report };
  }

  async batch(request: Parameters<BlockedSetService['batch']>[0], caller: Caller): Promise<BulkAnswer> {
    const rejected = [...request.rejected];
    const { changes, rejected: own } = this.#acceptBatch(request, caller);
    rejected.push(...own);
    const removals = changes.filter(({ op }) => op === 'remove').length;
    if (changes.length > groupedUpTo || removals > this.#writer.removalsAtMost) {
      const source = async function* (): AsyncIterable<readonly StagedRow[]> {
        yield changes as readonly StagedRow[];
      };
      const done = await this.#bulk.run(source(), {
        replace: false,
        allowShrink: true,
        requestedBy: caller.keyName,
        audited: (entries) => auditedChange('batch', caller, { details: { entries } }),
      });
      const answer = this.#bulkAnswer('batch', done, rejected.length, rejected, caller);
      this.#tellCounts('batch', answer, answer, caller.keyName);
      return answer;
    }
    if (changes.length === 0) return this.#bulkAnswer('batch', this.#nothingDone(), rejected.length, rejected, caller);
    const lane = changes.length <= 100 ? 'urgent' : 'bulk';
    const result = await this.#writer.change(changes, lane, deadlineOf(caller), { operation: 'batch', caller });
    const done = {
      added: result.effects.filter((effect) => effect.op === 'add' && effect.created).length,
      removed: result.effects.filter((effect) => effect.op === 'remove' && effect.removed !== null).length,
      failures: result.failures,
      failuresTotal: result.failures.length,
      currentFailed: result.currentFailed,
    };
    const unchanged = changes.length - done.added - done.removed;
    const counted = this.#bulkAnswer('batch', { ...done, unchanged }, rejected.length, rejected, caller);
    const answer = removals === 0 ? counted : { ...counted, not_blocked: notBlocked(changes, result.effects) };
    if (changes.length <= toldOneByOne) this.#tellEffects(result.effects, answer, caller.keyName);
    else this.#tellCounts('batch', answer, answer, caller.keyName);
    return answer;
  }

  async replaceAll(
    source: AsyncIterable<readonly BulkItem[]>,
    options: { readonly allowShrink: boolean },
    caller: Caller,
  ): Promise<BulkAnswer> {
    const rejected: Rejection[] = [];
    let rejectedTotal = 0;
    const reject = (rejection: Rejection): void => {
      rejectedTotal += 1;
      if (rejected.length < listedRejections) rejected.push(rejection);
    };
    const accepted = this.#accept(source, reject, caller);
    const done = await this.#bulk.run(accepted, {
      replace: true,
      allowShrink: options.allowShrink,
      requestedBy: caller.keyName,
      audited: (entries) =>
        auditedChange('replace', caller, { details: { entries, allow_shrink: options.allowShrink } }),
    });
    const answer = this.#bulkAnswer('replace', done, rejectedTotal, rejected, caller);
    this.#tellCounts('replace', answer, answer, caller.keyName);
    return answer;
  }

  async sync(caller: Caller, options: { readonly acceptMapFile?: boolean } = {}): Promise<SyncAnswer> {
    const answer = await this.#synchroniser.sync({ acceptMapFile: options.acceptMapFile === true });
    if (answer.runtime_map_synced)
      this.#log.info('Runtime map updated', { operation: 'sync', request_id: caller.requestId });
    this.#log.info('Operation done', {
      operation: 'sync',
      key: caller.keyName,
      request_id: caller.requestId,
      ...answer,
    });
    const { runtime_map_synced, total_ips, added, removed, reload_scheduled, duration_ms } = answer;
    const counts = { runtime_map_synced, total_ips, added, removed, reload_scheduled, duration_ms };
    this.#tell('sync.done', { ...counts, by: caller.keyName });
    return answer;
  }

  async list(query: BlockedListQuery): Promise<BlockedIpPage> {
    const page = await this.#store.page({
      limit: query.limit,
      cursor: query.cursor,
      offset: query.offset,
      q: query.q,
      text: query.text,
      expiringOnly: query.expiring,
      now: this.#now(),
      signal: query.signal,
    });
    return { items: page.items, next_cursor: page.nextCursor, total: page.total };
  }

  async *listTexts(): AsyncIterable<readonly string[]> {
    let after: Uint8Array | null = null;
    for (;;) {
      const { texts, last }: { texts: string[]; last: Uint8Array | null } = await this.#store.scanTexts(
        after,
        scanPage,
      );
      if (texts.length > 0) yield texts;
      if (last === null || texts.length < scanPage) return;
      after = last;
      // A page is nothing but work of this thread, and so is sending it while the client reads fast enough.
      await setImmediate();
    }
  }

  async get(entry: IpEntry): Promise<BlockedIpDetail> {
    const row = await this.#store.get(entry.text);
    if (row === null) {
      const covering = await this.#coveringOf(entry);
      throw new ServiceError(codes.NotFound, 'get blocked address', `${entry.text} has no entry of its own`, {
        members: { covered_by: covering },
      });
    }
    return { ...row, workers: await this.#checker.holdings(entry) };
  }

  async check(entry: IpEntry): Promise<CheckAnswer> {
    return await this.#checker.check(entry);
  }

  /** Written for every group of expired entries. */
  reportExpiry(ips: readonly string[], result: ChangeResult): RuntimeReport {
    const scheduled = result.currentFailed && this.#scheduleReload(`expiry: ${result.failures[0]?.reason}`);
    const report = runtimeReport(result.failures, scheduled);
    if (report.runtime_map_updated) this.#log.info('Runtime map updated', { operation: 'expire', count: ips.length });
    this.#log.info('Operation done', {
      operation: 'expire',
      count: ips.length,
      ip_addresses: ips.slice(0, 20),
      ...report,
    });
    if (ips.length > toldOneByOne) {
      this.#tellCounts('expire', { added: 0, removed: ips.length, unchanged: 0 }, report, null);
    } else {
      const { runtime_map_updated } = report;
      for (const ip_address of ips) this.#tell('entry.expired', { ip_address, runtime_map_updated });
    }
    return report;
  }

  #tellEffects(effects: readonly BlockedEffect[], { runtime_map_updated }: RuntimeReport, by: string): void {
    for (const effect of effects) {
      if (effect.op === 'add') {
        const { ip_address, reason, blocked_by, expires_at } = effect.row;
        const { created } = effect;
        this.#tell('entry.blocked', { ip_address, created, reason, blocked_by, expires_at, by, runtime_map_updated });
      } else if (effect.removed !== null) {
        this.#tell('entry.unblocked', { ip_address: effect.removed.ip_address, by, runtime_map_updated });
      }
    }
  }

  #tellCounts(
    operation: 'batch' | 'replace' | 'expire',
    { added, removed, unchanged }: Pick<BulkAnswer, 'added' | 'removed' | 'unchanged'>,
    { runtime_map_updated }: RuntimeReport,
    by: string | null,
  ): void {
    this.#tell('entries.changed', { operation, added, removed, unchanged, by, runtime_map_updated });
  }

  async #coveringOf(entry: IpEntry): Promise<string[]> {
    const covering: string[] = [];
    for (const form of lookupForms(entry)) {
      if (form.text !== entry.text && (await this.#store.get(form.text)) !== null) covering.push(form.text);
      covering.push(...(await this.#store.coveringOf(form)));
    }
    return covering;
  }

  #toChange(request: BlockRequest, caller: Caller): Extract<BlockedChange, { op: 'add' }> {
    return {
      op: 'add',
      entry: request.entry,
      reason: request.reason,
      // A new entry says who made it; an existing one keeps what it says unless somebody was named.
      blockedBy: request.blockedBy,
      defaultBlockedBy: caller.keyName,
      expiry: this.#toExpiry(request.expiry),
    };
  }

  #toExpiry(expiry: Expiry): ExpiryChange {
    switch (expiry.kind) {
      case 'at':
        return { kind: 'at', at: expiry.at.toISOString() };
      case 'duration':
        return { kind: 'later-of', until: new Date(this.#now().getTime() + expiry.seconds * 1_000).toISOString() };
      default:
        return { kind: expiry.kind };
    }
  }

  #acceptBatch(
    request: Parameters<BlockedSetService['batch']>[0],
    caller: Caller,
  ): {
    changes: (Extract<BlockedChange, { op: 'add' }> | Extract<BlockedChange, { op: 'remove' }>)[];
    rejected: Rejection[];
  } {
    const rejected: Rejection[] = [];
    const toRemove = new Set(request.remove.map(({ entry }) => entry.text));
    const toAdd = new Set(request.add.map(({ request: { entry } }) => entry.text));
    const changes: (Extract<BlockedChange, { op: 'add' }> | Extract<BlockedChange, { op: 'remove' }>)[] = [];
    for (const { index, request: wanted } of request.add) {
      const { text } = wanted.entry;
      const trusted = wanted.force ? [] : this.#trusted.covering(wanted.entry);
      if (toRemove.has(text)) rejected.push({ list: 'add', index, value: text, why: 'it is in both add and remove' });
      else if (trusted.length > 0) rejected.push({ list: 'add', index, value: text, why: trustedWhy(trusted) });
      else changes.push(this.#toChange(wanted, caller));
    }
    for (const { index, entry } of request.remove) {
      if (toAdd.has(entry.text)) {
        rejected.push({ list: 'remove', index, value: entry.text, why: 'it is in both add and remove' });
      } else changes.push({ op: 'remove', entry });
    }
    return { changes, rejected };
  }

  async *#accept(
    source: AsyncIterable<readonly BulkItem[]>,
    reject: (rejection: Rejection) => void,
    caller: Caller,
  ): AsyncIterable<readonly StagedRow[]> {
    let position = -1;
    for await (const items of source) {
      const rows: StagedRow[] = [];
      for (const item of items) {
        position += 1;
        if (!item.ok) {
          reject(item.rejection);
          continue;
        }
        const trusted = item.request.force ? [] : this.#trusted.covering(item.request.entry);
        if (trusted.length === 0) rows.push(this.#toChange(item.request, caller));
        else {
          const where = item.line === undefined ? { index: position } : { line: item.line };
          reject({ ...where, value: item.request.entry.text, why: trustedWhy(trusted) });
        }
      }
      yield rows;
    }
  }

  /** Nothing was changed; whether the workers hold what they should is told all the same. */
  #nothingDone(): BulkResult {
    const reason = this.#notSeenWhole();
    const failures = reason === null ? [] : [{ ip_address: '', worker: null, command: '', responses: [], reason }];
    return { added: 0, removed: 0, unchanged: 0, failures, failuresTotal: failures.length, currentFailed: false };
  }

  #report(operation: string, ip: string, result: ChangeResult, caller: Caller): RuntimeReport {
    const scheduled = result.currentFailed && this.#scheduleReload(`${operation} ${ip}: ${result.failures[0]?.reason}`);
    const report = runtimeReport(result.failures, scheduled);
    const fields = { operation, ip_address: ip, key: caller.keyName, request_id: caller.requestId };
    if (report.runtime_map_updated) this.#log.info('Runtime map updated', fields);
    this.#log.info('Operation done', { ...fields, ...report });
    return report;
  }

  #bulkAnswer(
    operation: string,
    done: BulkResult,
    rejectedTotal: number,
    rejected: readonly Rejection[],
    caller: Caller,
  ): BulkAnswer {
    const scheduled =
      done.currentFailed && this.#scheduleReload(`${operation}: ${done.failures[0]?.reason ?? 'not verified'}`);
    const report = runtimeReport(done.failures, scheduled, done.failuresTotal);
    const counts = {
      added: done.added,
      removed: done.removed,
      unchanged: done.unchanged,
      rejected_total: rejectedTotal,
    };
    const fields = { operation, ...counts, key: caller.keyName, request_id: caller.requestId };
    // Where nothing was accepted nothing was read back either.
    const asked = done.added + done.removed + done.unchanged > 0;
    if (report.runtime_map_updated && asked) this.#log.info('Runtime map updated', fields);
    this.#log.info('Operation done', { ...fields, ...report });
    return { ...counts, rejected: rejected.slice(0, listedRejections), ...report };
  }
}

function deadlineOf(caller: Caller): number {
  return caller.receivedAt + runtimeBudgetMs;
}

/** What was to be removed and had no entry: whoever takes the removal back needs to know. */
function notBlocked(changes: readonly BlockedChange[], effects: readonly BlockedEffect[]): string[] {
  const asked = changes.flatMap(({ op, entry }) => (op === 'remove' ? [entry.text] : []));
  const gone = new Set(effects.map((effect) => (effect.op === 'remove' ? effect.removed?.ip_address : undefined)));
  return [...new Set(asked)].filter((text) => !gone.has(text));
}

function trustedWhy(covering: readonly string[]): string {
  return `it is covered by the trusted ${covering[0]}; with force it is stored, though trust wins`;
}

function coveredByTrust(entry: IpEntry, covering: readonly string[]): ServiceError {
  return new ServiceError(
    codes.CoveredByTrust,
    'block',
    `${entry.text} is covered by the trusted ${covering.join(', ')}, which wins over a block; send force to store it all the same`,
    { members: { overridden_by: covering } },
  );
}
