import { Text } from '@mantine/core';
import { counted } from '../../../../src/domain/counted.ts';
import type { ChartData } from '../series.ts';
import { stepText } from '../times.ts';

const shownSpans = 2;

interface ChartNotesProps {
  readonly data: ChartData;
  /** Null: the figures are exact. */
  readonly oneIn: number | null;
}

/** What one must know to read the picture. */
export function ChartNotes({ data: { gaps, attacks }, oneIn }: ChartNotesProps) {
  const notes = [
    ...(oneIn === null ? [] : [`Estimated: HAProxy counts 1 in ${oneIn} requests of each site.`]),
    ...spansNote(
      `${counted(gaps.length, 'gap')}, hatched`,
      gaps.map(({ from, to, cause }) => `${stepText(from, to - from)} (${cause})`),
    ),
    ...spansNote(
      `${counted(attacks.length, 'attack')}, shaded`,
      attacks.map(({ from, to, continues }) => (continues ? `since ${stepText(from, 0)}` : stepText(from, to - from))),
    ),
  ];
  if (notes.length === 0) return null;
  return (
    <Text size="xs" c="dimmed" mt={6}>
      {notes.join(' ')}
    </Text>
  );
}

/** Names the last ones. @param texts oldest first */
function spansNote(what: string, texts: readonly string[]): readonly string[] {
  if (texts.length === 0) return [];
  const newest = texts.toReversed().slice(0, shownSpans);
  const more = texts.length - newest.length;
  return [`${what}: ${newest.join(', ')}${more > 0 ? `, and ${more} more` : ''}.`];
}
