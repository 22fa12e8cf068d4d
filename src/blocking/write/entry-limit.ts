// The maximum number of entries. It is asked before something is added, and never cuts what exists: a set that is larger
// than the setting starts, expires and is unblocked as any other.
import { codes } from '../../errors/catalogue.ts';
import { ServiceError } from '../../errors/service-error.ts';

export class EntryLimit {
  readonly #limit: number;

  /** @param limit 0: none */
  constructor(limit: number) {
    this.#limit = limit === 0 ? Number.POSITIVE_INFINITY : limit;
  }

  /** Null: none. */
  get maximum(): number | null {
    return Number.isFinite(this.#limit) ? this.#limit : null;
  }

  /** Whether so many entries may exist. */
  allows(total: number): boolean {
    return total <= this.#limit;
  }

  /** What a request hears whose changes would make the set larger than the limit; none of it was made. */
  refusal(currentTotal: number, wouldBe: number): ServiceError {
    const limit = this.#limit;
    return new ServiceError(
      codes.SetFull,
      'change blocked set',
      `the set has ${currentTotal} entries and would have ${wouldBe}, more than the maximum of ${limit} (PROXY_MANAGER_MAX_ENTRIES); nothing was changed`,
      { members: { current_total: currentTotal, would_be: wouldBe, limit } },
    );
  }
}
