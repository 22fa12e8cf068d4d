// Steps in which the number of entries changed much: a list was imported, or entries were removed in bulk.

const least = 1_000;
/** Of the entries before, so that the daily change of a large set is no mark. */
const leastShare = 0.01;

export interface EntryJump {
  /** Begin of the step; seconds since 1970. */
  readonly at: number;
  /** Below 0: fewer. */
  readonly change: number;
}

/**
 * Of values at the end of each step, which begin at `from`; null: not known. Steps that follow each other in the same
 * direction are one jump: a large list takes minutes.
 */
export function entryJumps(
  values: readonly (number | null)[],
  { from, step }: { readonly from: number; readonly step: number },
): EntryJump[] {
  const jumps: { at: number; last: number; change: number }[] = [];
  let before: number | null = null;
  for (const [index, value] of values.entries()) {
    if (value === null) continue;
    const change = before === null ? 0 : value - before;
    if (before !== null && Math.abs(change) >= Math.max(least, before * leastShare)) {
      const previous = jumps.at(-1);
      if (previous?.last === index - 1 && Math.sign(previous.change) === Math.sign(change)) {
        previous.change += change;
        previous.last = index;
      } else jumps.push({ at: from + index * step, last: index, change });
    }
    before = value;
  }
  return jumps.map(({ at, change }) => ({ at, change }));
}

export function jumpText({ change }: Pick<EntryJump, 'change'>): string {
  return `${change > 0 ? '+' : '−'} ${Math.abs(change).toLocaleString('en')} entries`;
}
