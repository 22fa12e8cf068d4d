import { Text } from '@mantine/core';
import { counted } from '../../../../../src/domain/counted.ts';
import type { CdnEntries } from '../../../../../src/domain/upstream-presets.ts';
import { presetLabels } from '../../../parts/preset-labels.ts';

interface CdnNotesProps {
  readonly cdns: readonly CdnEntries[];
  /** Whether the entries are blocked already. */
  readonly blocked: boolean;
}

export function CdnNotes({ cdns, blocked }: CdnNotesProps) {
  return cdns.map((entries) => (
    <Text key={entries.cdn} size="sm">
      {cdnWords(entries, blocked)}
    </Text>
  ));
}

export function cdnWords({ cdn, entries, example }: CdnEntries, blocked: boolean): string {
  const belong = `${counted(entries, 'entry belongs', 'entries belong')} to ${presetLabels[cdn]}, such as ${example}`;
  const these = entries === 1 ? 'it' : 'them';
  const what = blocked ? `unblock ${these}` : `remove ${these} from the list`;
  return `${belong}: if your sites are behind this CDN, ${what} and add the CDN as an upstream.`;
}
