// Drops the claims that a filter selects, however many they are. They are read while others change them; what changes
// meanwhile stays as it is then, since it was changed after the request.

import type { BulkAnswer } from '../api/blocked-ips-bulk.ts';
import type { Caller } from '../api/caller.ts';
import { yieldToLoop } from '../concurrency/pause.ts';
import { count, counted } from '../domain/counted.ts';
import { entryOfSortKey } from '../domain/ip.ts';
import { codes } from '../errors/catalogue.ts';
import { ServiceError } from '../errors/service-error.ts';
import { auditedChange } from '../store/audit-rows.ts';
import type { ClaimFilter } from '../store/blocked-changes.ts';
import type { StagedRow } from '../store/bulk-store.ts';
import { type ClaimSearch, type ClaimSelection, SEARCHED_AT_ONCE } from '../store/claim-search.ts';
import type { NotHit } from '../store/match-counts.ts';
import { runtimeReport } from './answers.ts';
import type { EntryQuery } from './blocked-set-service.ts';
import type { BulkRunner } from './bulk/bulk-runner.ts';
import { type Sources, sourceOf } from './sources.ts';
import { droppedFromList } from './unblock-refusals.ts';
import { changeFailure } from './write/change-failure.ts';
import type { Outcomes } from './write/outcomes.ts';

export interface BulkUnblockRequest extends ClaimFilter {
  readonly source?: string | undefined;
  /** Only claims to these entries. */
  readonly entries?: EntryQuery;
  /** Only claims to entries that have not been hit. */
  readonly notHit?: NotHit | undefined;
  /** How many addresses have such a claim; null: a dry run only counts them. */
  readonly expect: number | null;
  readonly dryRun: boolean;
}

interface BulkUnblockDeps {
  readonly search: Pick<ClaimSearch, 'slice'>;
  readonly bulk: Pick<BulkRunner, 'run'>;
  readonly sources: Pick<Sources, 'find'>;
  readonly outcomes: Pick<Outcomes, 'reportBulk'>;
  readonly total: () => number;
  readonly now: () => Date;
}

export class BulkUnblock {
  readonly #deps: BulkUnblockDeps;

  constructor(deps: BulkUnblockDeps) {
    this.#deps = deps;
  }

  /**
   * Errors: 6040 when there are not `expect` of them, 6035 for a list, 1100 for an unknown source; nothing is changed
   * then.
   */
  async unblock({ expect, dryRun, ...wanted }: BulkUnblockRequest, caller: Caller): Promise<BulkAnswer> {
    const name = sourceOf(wanted.source, caller);
    const source = name === undefined ? undefined : await this.#deps.sources.find(name);
    if (source?.kind === 'list') throw droppedFromList(source);
    const { reason, blockedBy } = wanted;
    const { blockedSince, ...entries } = wanted.entries ?? {};
    const since = blockedSince === undefined ? {} : { blockedSince: Math.floor(blockedSince.getTime() / 1_000) };
    const filter: ClaimFilter = {
      ...(reason !== undefined && { reason }),
      ...(blockedBy !== undefined && { blockedBy }),
    };
    const selection = {
      ...filter,
      entries: { ...entries, ...since },
      notHit: wanted.notHit,
      ...(source === undefined ? { withoutLists: true } : { source: source.id }),
    };
    const details = {
      ...(source !== undefined && { source: source.name }),
      ...(reason !== undefined && { reason }),
      ...(blockedBy !== undefined && { blocked_by: blockedBy }),
      ...(wanted.notHit !== undefined && { not_hit_since: wanted.notHit.blockedBy }),
      ...(entries.family !== undefined && { family: `ipv${entries.family}` }),
      ...(entries.widerThan !== undefined && { wider_than: entries.widerThan }),
      ...(blockedSince !== undefined && { blocked_since: blockedSince.toISOString() }),
    };
    const done = await this.#deps.bulk.run(this.#selected(selection, expect), {
      replace: false,
      allowShrink: true,
      source,
      filter,
      dryRun,
      requestedBy: caller.keyName,
      audited: (entries) => auditedChange('unblock_selected', caller, { details: { entries, ...details } }),
    });
    if (!dryRun) return this.#deps.outcomes.reportBulk('unblock_selected', done, { total: 0, first: [] }, caller);
    const { failures: _f, failuresTotal: _t, currentFailed: _c, ...counts } = done;
    const rejected = { rejected_total: 0, rejected: [] };
    return { ...counts, ...rejected, dry_run: true, current_total: this.#deps.total(), ...runtimeReport([], false) };
  }

  async *#selected(selection: ClaimSelection, expect: number | null): AsyncGenerator<readonly StagedRow[]> {
    let count = 0;
    let after: Buffer | null = Buffer.alloc(0);
    while (after !== null) {
      const { found, last } = await this.#slice(selection, after);
      count += found.length;
      yield found.map(({ sort_key }) => ({ op: 'remove', entry: entryOfSortKey(sort_key, 0) }));
      after = last;
      await yieldToLoop();
    }
    if (expect !== null && count !== expect) throw mismatch(count, expect);
  }

  async #slice(selection: ClaimSelection, after: Buffer) {
    try {
      return await this.#deps.search.slice(selection, this.#deps.now().toISOString(), after, SEARCHED_AT_ONCE);
    } catch (error) {
      throw changeFailure(error);
    }
  }
}

function mismatch(found: number, expect: number): ServiceError {
  return new ServiceError(
    codes.CountMismatch,
    'unblock by filter',
    `${counted(found, 'entry has', 'entries have')} such a claim, not the ${count(expect)} that were expected; nothing was changed`,
    { members: { count: found } },
  );
}
