import type { BulkAnswer } from '../../api/blocked-ips-bulk.ts';
import { sumByCdn } from '../../domain/upstream-presets.ts';

const maxRejections = 1000;
const maxFailures = 100;
const maxAddresses = 100;

export interface RejectedLine {
  readonly line: number;
  readonly value: string;
  readonly why: string;
  /** Determines the flag that applies the line anyway. */
  readonly code?: number;
}

/** With the line of the file for each rejection. */
export interface BulkResult extends Omit<BulkAnswer, 'rejected'> {
  readonly rejected: readonly RejectedLine[];
  readonly overridden_by?: readonly string[];
  readonly trusted_inside?: readonly string[];
}

export class BulkTally {
  #rejectedTotal = 0;
  readonly #rejected: RejectedLine[] = [];
  #sum: BulkResult = {
    added: 0,
    updated: 0,
    removed: 0,
    unchanged: 0,
    rejected_total: 0,
    rejected: [],
    runtime_map_updated: true,
    runtime_map_failures: [],
    runtime_map_failures_total: 0,
    reload_scheduled: false,
  };

  reject(rejected: RejectedLine): void {
    this.#rejectedTotal += 1;
    if (this.#rejected.length < maxRejections) this.#rejected.push(rejected);
  }

  add(answer: BulkAnswer, lineOf: (rejection: BulkAnswer['rejected'][number]) => number): void {
    for (const rejection of answer.rejected) {
      const { value, why, code } = rejection;
      this.reject({ line: lineOf(rejection), value, why, ...(code !== undefined && { code }) });
    }
    this.#rejectedTotal += answer.rejected_total - answer.rejected.length;
    const sum = this.#sum;
    const stays = (sum.still_claimed_total ?? 0) + (answer.still_claimed_total ?? 0);
    const {
      special_total: special = 0,
      known_cdns: cdns = [],
      still_blocked_total: still,
      current_total,
      limit,
      trust_ended: ended = [],
    } = answer;
    const { overridden_by: over = [], trusted_inside: inside = [] } = answer as Partial<BulkResult>;
    this.#sum = {
      ...sum,
      added: sum.added + answer.added,
      updated: sum.updated + answer.updated,
      removed: sum.removed + answer.removed,
      unchanged: sum.unchanged + answer.unchanged,
      ...(stays > 0 && { still_claimed_total: stays }),
      runtime_map_updated: sum.runtime_map_updated && answer.runtime_map_updated,
      runtime_map_failures: [...sum.runtime_map_failures, ...answer.runtime_map_failures].slice(0, maxFailures),
      runtime_map_failures_total: sum.runtime_map_failures_total + answer.runtime_map_failures_total,
      reload_scheduled: sum.reload_scheduled || answer.reload_scheduled,
      ...(special > 0 && {
        special: [...(sum.special ?? []), ...(answer.special ?? [])].slice(0, maxAddresses),
        special_total: (sum.special_total ?? 0) + special,
      }),
      ...(cdns.length > 0 && { known_cdns: sumByCdn([...(sum.known_cdns ?? []), ...cdns]) }),
      ...(still !== undefined && {
        still_blocked: [...(sum.still_blocked ?? []), ...(answer.still_blocked ?? [])].slice(0, maxAddresses),
        still_blocked_total: (sum.still_blocked_total ?? 0) + still,
      }),
      ...(answer.dry_run === true && { dry_run: true }),
      ...(current_total !== undefined && { current_total }),
      ...(limit !== undefined && { limit }),
      ...(over.length > 0 && { overridden_by: distinct(sum.overridden_by, over) }),
      ...(inside.length > 0 && { trusted_inside: distinct(sum.trusted_inside, inside) }),
      ...(ended.length > 0 && { trust_ended: distinct(sum.trust_ended, ended) }),
    };
  }

  get result(): BulkResult {
    return {
      ...this.#sum,
      rejected_total: this.#rejectedTotal,
      rejected: this.#rejected.toSorted((a, b) => a.line - b.line),
    };
  }
}

function distinct(known: readonly string[] = [], more: readonly string[]): string[] {
  return [...new Set([...known, ...more])].slice(0, maxAddresses);
}
