import { codes } from '../../errors/catalogue.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { BulkStore } from '../../store/bulk-store.ts';
import type { EntryLimit } from '../write/entry-limit.ts';

/** From this size a replacement that drops more than half needs `allow_shrink`; an empty one needs it at any size. */
const shrinkGuardFrom = 100;

export interface Guarded {
  readonly replace: boolean;
  readonly allowShrink: boolean;
}

interface BulkGuardDeps {
  readonly bulk: Pick<BulkStore, 'currentTotal' | 'preview'>;
  readonly limit: EntryLimit;
}

export class BulkGuard {
  readonly #deps: BulkGuardDeps;

  constructor(deps: BulkGuardDeps) {
    this.#deps = deps;
  }

  /** @throws ServiceError 409 */
  async refuse(id: string, entries: number, { replace, allowShrink }: Guarded): Promise<void> {
    const before = this.#deps.bulk.currentTotal;
    const guardsShrink = replace && !allowShrink;
    if (guardsShrink && entries === 0 && before > 0) {
      throw shrinkRefused('the list contains no address, so all', before, before);
    }
    // The preview reads all staged rows; usually neither check can fail.
    const fits = this.#deps.limit.allows(replace ? entries : before + entries);
    if (fits && !(guardsShrink && before >= shrinkGuardFrom)) return;
    const { adds, removes, currentTotal } = await this.#deps.bulk.preview(id);
    if (guardsShrink && currentTotal >= shrinkGuardFrom && removes > currentTotal / 2) {
      throw shrinkRefused(`${removes} of`, currentTotal, removes);
    }
    const wouldBe = currentTotal + adds - removes;
    if (wouldBe > currentTotal && !this.#deps.limit.allows(wouldBe))
      throw this.#deps.limit.refusal(currentTotal, wouldBe);
  }
}

function shrinkRefused(what: string, currentTotal: number, removes: number): ServiceError {
  const more = removes === currentTotal ? '' : ', more than half';
  return new ServiceError(
    codes.ShrinkRefused,
    'replace blocked set',
    `${what} ${currentTotal} entries would be removed${more}; to remove them, send allow_shrink=true`,
    { members: { would_remove: removes, current_total: currentTotal } },
  );
}
