// The answers of several batches as one, in the form of the API's own answer.
import type { BulkAnswer } from '../../api/blocked-ips-bulk.ts';
import type { RuntimeMapFailure } from '../../api/changes.ts';

type SpecialEntry = NonNullable<BulkAnswer['special']>[number];
type StillBlocked = NonNullable<BulkAnswer['still_blocked']>[number];

const listedRejections = 1000;
const listedFailures = 100;
const listedAddresses = 100;

export interface RejectedLine {
  readonly line: number;
  readonly value: string;
  readonly why: string;
  /** Of the API: what it would take to apply the line. */
  readonly code?: number;
}

/** As the API answers a bulk change; what was rejected is told by the line of the file. */
export interface BulkResult extends Omit<BulkAnswer, 'rejected'> {
  readonly rejected: readonly RejectedLine[];
  readonly overridden_by?: readonly string[];
  readonly trusted_inside?: readonly string[];
}

export class BulkTally {
  #added = 0;
  #updatedEntries = 0;
  #removed = 0;
  #unchanged = 0;
  #rejectedTotal = 0;
  readonly #rejected: RejectedLine[] = [];
  #updated = true;
  readonly #failures: RuntimeMapFailure[] = [];
  #failuresTotal = 0;
  #reloadScheduled = false;
  readonly #special: SpecialEntry[] = [];
  #specialTotal = 0;
  readonly #still: StillBlocked[] = [];
  /** Null: nothing was to be removed. */
  #stillTotal: number | null = null;
  #dryRun = false;
  #size: Pick<BulkAnswer, 'current_total' | 'limit'> = {};
  readonly #overriddenBy = new Set<string>();
  readonly #trustedInside = new Set<string>();

  /** A line that was never sent. */
  reject(rejected: RejectedLine): void {
    this.#rejectedTotal += 1;
    if (this.#rejected.length < listedRejections) this.#rejected.push(rejected);
  }

  /** @param lineOf the line of the file that the API's number stands for */
  add(answer: BulkAnswer, lineOf: (rejection: BulkAnswer['rejected'][number]) => number): void {
    this.#added += answer.added;
    this.#updatedEntries += answer.updated;
    this.#dryRun ||= answer.dry_run === true;
    const { current_total, limit } = answer;
    this.#size = { ...(current_total !== undefined && { current_total }), ...(limit !== undefined && { limit }) };
    this.#removed += answer.removed;
    this.#unchanged += answer.unchanged;
    for (const rejection of answer.rejected) {
      const { value, why, code } = rejection;
      this.reject({ line: lineOf(rejection), value, why, ...(code !== undefined && { code }) });
    }
    this.#rejectedTotal += answer.rejected_total - answer.rejected.length;
    this.#updated = this.#updated && answer.runtime_map_updated;
    this.#failures.push(...answer.runtime_map_failures.slice(0, listedFailures - this.#failures.length));
    this.#failuresTotal += answer.runtime_map_failures_total;
    this.#reloadScheduled ||= answer.reload_scheduled;
    this.#special.push(...(answer.special ?? []).slice(0, listedAddresses - this.#special.length));
    this.#specialTotal += answer.special_total ?? 0;
    this.#still.push(...(answer.still_blocked ?? []).slice(0, listedAddresses - this.#still.length));
    if (answer.still_blocked_total !== undefined)
      this.#stillTotal = (this.#stillTotal ?? 0) + answer.still_blocked_total;
    const { overridden_by: over = [], trusted_inside: inside = [] } = answer as Partial<BulkResult>;
    addSome(this.#overriddenBy, over);
    addSome(this.#trustedInside, inside);
  }

  get result(): BulkResult {
    return {
      added: this.#added,
      updated: this.#updatedEntries,
      removed: this.#removed,
      unchanged: this.#unchanged,
      rejected_total: this.#rejectedTotal,
      rejected: this.#rejected.toSorted((a, b) => a.line - b.line),
      runtime_map_updated: this.#updated,
      runtime_map_failures: this.#failures,
      runtime_map_failures_total: this.#failuresTotal,
      reload_scheduled: this.#reloadScheduled,
      ...(this.#specialTotal > 0 && { special: this.#special, special_total: this.#specialTotal }),
      ...(this.#stillTotal !== null && { still_blocked: this.#still, still_blocked_total: this.#stillTotal }),
      ...(this.#dryRun && { dry_run: true, ...this.#size }),
      ...(this.#overriddenBy.size > 0 && { overridden_by: [...this.#overriddenBy] }),
      ...(this.#trustedInside.size > 0 && { trusted_inside: [...this.#trustedInside] }),
    };
  }
}

function addSome(set: Set<string>, texts: readonly string[]): void {
  for (const text of texts) if (set.size < listedAddresses) set.add(text);
}
