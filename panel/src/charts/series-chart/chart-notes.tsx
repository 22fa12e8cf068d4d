import { Text } from '@mantine/core';
import { counted } from '../../parts/counted.ts';
import type { ChartData } from '../series.ts';
import { stepText } from '../times.ts';

const shownGaps = 2;

interface ChartNotesProps {
  readonly data: ChartData;
  /** Null: the figures are exact. */
  readonly oneIn: number | null;
}

/** What one must know to read the picture. */
export function ChartNotes({ data: { gaps }, oneIn }: ChartNotesProps) {
  const newest = gaps.toReversed().slice(0, shownGaps);
  const more = gaps.length - newest.length;
  const notes = [
    ...(oneIn === null ? [] : [`Estimated: HAProxy counts 1 in ${oneIn} requests of each site.`]),
    ...(gaps.length === 0
      ? []
      : [
          `${counted(gaps.length, 'gap')}, hatched: ${newest.map(({ from, to, cause }) => `${stepText(from, to - from)} (${cause})`).join(', ')}${more > 0 ? `, and ${more} more` : ''}.`,
        ]),
  ];
  if (notes.length === 0) return null;
  return (
    <Text size="xs" c="dimmed" mt={6}>
      {notes.join(' ')}
    </Text>
  );
}
