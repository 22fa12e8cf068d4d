import { codes } from '../../errors/catalogue.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { BulkPreview, BulkStore } from '../../store/bulk-store.ts';
import { MANUAL } from '../../store/claims.ts';
import type { NamedSource } from '../sources.ts';
import type { EntryLimit } from '../write/entry-limit.ts';

/** From this size a replacement that drops more than half needs `allow_shrink`; an empty one needs it at any size. */
const shrinkGuardFrom = 100;

export interface Guarded {
  readonly replace: boolean;
  readonly allowShrink: boolean;
  /** Whose claims it changes; absent: `manual`, and removals drop the claims of agents too. */
  readonly source?: NamedSource | undefined;
}

interface BulkGuardDeps {
  readonly bulk: Pick<BulkStore, 'currentTotal' | 'furtherClaims' | 'preview' | 'hasSources'>;
  readonly limit: EntryLimit;
}

export class BulkGuard {
  readonly #deps: BulkGuardDeps;

  constructor(deps: BulkGuardDeps) {
    this.#deps = deps;
  }

  /** @throws ServiceError 409 */
  async refuse(id: string, entries: number, { replace, allowShrink, source }: Guarded): Promise<void> {
    const { currentTotal: before, furtherClaims: further } = this.#deps.bulk;
    const guardsShrink = replace && !allowShrink;
    const mayShrink = guardsShrink && (before >= shrinkGuardFrom || (entries === 0 && before > 0));
    // The preview reads all staged rows; usually neither check can fail.
    const isOfOtherSource = source !== undefined && source.id !== MANUAL;
    const alone = replace && !isOfOtherSource && !(await this.#deps.bulk.hasSources());
    const most = alone ? entries : Math.max(before, further) + entries;
    if (this.#deps.limit.allows(most) && !mayShrink) return;
    const preview = await this.#deps.bulk.preview(id);
    const { adds, removes, joins, stays, currentTotal, own, drops } = preview;
    if (mayShrink && entries === 0 && own > 0) {
      throw shrinkRefused('the list contains no address, so all', preview, source);
    }
    if (mayShrink && own >= shrinkGuardFrom && drops > own / 2) throw shrinkRefused(`${drops} of`, preview, source);
    const wouldBe = currentTotal + adds - removes;
    if (wouldBe > currentTotal && !this.#deps.limit.allows(wouldBe))
      throw this.#deps.limit.refusal(currentTotal, wouldBe);
    // Of a removal that drops several claims to an address it counts one.
    const claims = further + joins - stays;
    if (isOfOtherSource && claims > further && !this.#deps.limit.allows(claims))
      throw this.#deps.limit.refusalOfClaims(further, claims);
  }
}

function shrinkRefused(
  what: string,
  { own, drops, currentTotal: total }: Pick<BulkPreview, 'own' | 'drops' | 'currentTotal'>,
  source: NamedSource | undefined,
): ServiceError {
  const whose = source === undefined ? '' : ` of the source ${source.name}`;
  const more = drops === own ? '' : ', more than half';
  return new ServiceError(
    codes.ShrinkRefused,
    'replace blocked set',
    `${what} ${own} entries${whose} would be removed${more}; to remove them, send allow_shrink=true`,
    { members: { would_remove: drops, current_total: total } },
  );
}
