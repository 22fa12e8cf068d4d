// Which bulk changes are refused before anything of them is applied: those that would take away most of the set, and
// those that would make it larger than its maximum.
import { codes } from '../../errors/catalogue.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { BulkStore } from '../../store/bulk-store.ts';
import type { EntryLimit } from '../write/entry-limit.ts';

/** From here up a replacement that drops more than half needs `allow_shrink`; one without an entry does at any size. */
const shrinkGuardFrom = 100;

/** What of the options decides. */
export interface Guarded {
  readonly replace: boolean;
  readonly allowShrink: boolean;
}

export class BulkGuard {
  readonly #bulk: Pick<BulkStore, 'currentTotal' | 'preview'>;
  readonly #limit: EntryLimit;

  constructor(bulk: Pick<BulkStore, 'currentTotal' | 'preview'>, limit: EntryLimit) {
    this.#bulk = bulk;
    this.#limit = limit;
  }

  /**
   * @param entries that were staged
   * @throws ServiceError 409
   */
  async refuse(id: string, entries: number, { replace, allowShrink }: Guarded): Promise<void> {
    const before = this.#bulk.currentTotal;
    const guardsShrink = replace && !allowShrink;
    if (guardsShrink && entries === 0 && before > 0) {
      throw shrinkRefused('the list names no address, so all', before, before);
    }
    // The preview reads all that was staged; mostly neither can be refused.
    const fits = this.#limit.allows(replace ? entries : before + entries);
    if (fits && !(guardsShrink && before >= shrinkGuardFrom)) return;
    const { adds, removes, currentTotal } = await this.#bulk.preview(id);
    if (guardsShrink && currentTotal >= shrinkGuardFrom && removes > currentTotal / 2) {
      throw shrinkRefused(`${removes} of`, currentTotal, removes);
    }
    const wouldBe = currentTotal + adds - removes;
    if (wouldBe > currentTotal && !this.#limit.allows(wouldBe)) throw this.#limit.refusal(currentTotal, wouldBe);
  }
}

function shrinkRefused(what: string, currentTotal: number, removes: number): ServiceError {
  const more = removes === currentTotal ? '' : ', more than half';
  return new ServiceError(
    codes.ShrinkRefused,
    'replace blocked set',
    `${what} ${currentTotal} entries would go away${more}; if that is meant, send allow_shrink=true`,
    { members: { would_remove: removes, current_total: currentTotal } },
  );
}
