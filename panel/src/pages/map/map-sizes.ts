import type { EntryMap } from '../../api/entry-map.ts';

interface SizeGroup {
  /** Prefixes, as people write them. */
  readonly label: string;
  readonly entries: number;
}

/** The longest prefix of each group, from the widest networks to single addresses. */
const groupEnds = [7, 11, 15, 19, 23, 24, 27, 29, 31, 32] as const;

/** `/24`, or `/28–/29`. Groups without entries are left out. */
export function sizeGroups({ sizes }: Pick<EntryMap, 'sizes'>): readonly SizeGroup[] {
  const groups = groupEnds.map((to, at) => {
    const from = (groupEnds[at - 1] ?? 0) + 1;
    const inside = sizes.filter(({ prefix }) => prefix >= from && prefix <= to);
    const label = from === to ? `/${to}` : `/${from}–/${to}`;
    return { label, entries: inside.reduce((sum, { entries }) => sum + entries, 0) };
  });
  return groups.filter(({ entries }) => entries > 0);
}

/** Networks with more addresses than one of this prefix. */
export function widerThan({ sizes }: Pick<EntryMap, 'sizes'>, prefix: number): number {
  return sizes.reduce((sum, size) => sum + (size.prefix < prefix ? size.entries : 0), 0);
}
