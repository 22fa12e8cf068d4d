// Checked before additions; a set above the limit still starts, expires and is unblocked. The same limit holds for the
// claims of sources to addresses that are blocked already; those of `manual` are bounded by the entries.
import { count } from '../../domain/counted.ts';
import { codes } from '../../errors/catalogue.ts';
import { ServiceError } from '../../errors/service-error.ts';

export class EntryLimit {
  readonly #limit: number;

  /** @param limit 0: none */
  constructor(limit: number) {
    this.#limit = limit === 0 ? Number.POSITIVE_INFINITY : limit;
  }

  get maximum(): number | null {
    return Number.isFinite(this.#limit) ? this.#limit : null;
  }

  allows(total: number): boolean {
    return total <= this.#limit;
  }

  refusal(currentTotal: number, wouldBe: number): ServiceError {
    const limit = this.#limit;
    return new ServiceError(
      codes.SetFull,
      'change blocked set',
      `the blocked set has ${count(currentTotal)} entries and would have ${count(wouldBe)}, more than the maximum of ${count(limit)} (PROXY_MANAGER_MAX_ENTRIES); nothing was changed`,
      { members: { current_total: currentTotal, would_be: wouldBe, limit } },
    );
  }

  refusalOfClaims(current: number, wouldBe: number): ServiceError {
    const limit = this.#limit;
    return new ServiceError(
      codes.SetFull,
      'change blocked set',
      `blocked addresses have ${count(current)} claims beside the first of each and would have ${count(wouldBe)}, more than the maximum of ${count(limit)} (PROXY_MANAGER_MAX_ENTRIES); nothing was changed`,
      { members: { current_total: current, would_be: wouldBe, limit } },
    );
  }
}
