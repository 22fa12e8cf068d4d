import { Button, Group, Text } from '@mantine/core';
import { spanText, useNow } from '../../parts/age.tsx';
import { counted } from '../../parts/counted.ts';
import styles from '../../parts/styles.module.css';
import type { PageCacheState } from './list/page-cache.ts';
import { refreshEvery } from './list/use-page-cache.ts';
import type { Search } from './search.ts';

interface ListSummaryProps {
  readonly cache: PageCacheState;
  readonly search: Search;
  readonly selected: number;
  readonly onRemove: () => void;
  readonly onClear: () => void;
}

export function ListSummary({ cache, search, selected, onRemove, onClear }: ListSummaryProps) {
  return (
    <Group justify="space-between" mih={30} gap="xs">
      <Count cache={cache} search={search} />
      {selected > 0 && (
        <Group gap="xs">
          <Text size="sm">{selected.toLocaleString()} selected</Text>
          <Button size="compact-sm" color="red" variant="light" onClick={onRemove}>
            Remove {counted(selected, 'entry', 'entries')}
          </Button>
          <Button size="compact-sm" variant="default" onClick={onClear}>
            Clear selection
          </Button>
        </Group>
      )}
    </Group>
  );
}

/** How late a refresh may be before the age of the list is shown; milliseconds. */
const graceMs = 5_000;

function Count({ cache, search }: Pick<ListSummaryProps, 'cache' | 'search'>) {
  const now = useNow(2_000);
  if (cache.total === null || cache.loadedAt === null) return <span />;
  const age = now - cache.loadedAt;
  const suffix = {
    all: 'blocked',
    address: 'found',
    text: 'found in reasons and “Blocked by”',
    source: 'claimed by this source',
  }[search.kind];
  const text = search.kind === 'text' ? search.text : '';
  const source = search.kind === 'source' ? search.source : '';
  return (
    <Text size="sm" c="dimmed" className={styles.figure} role="status">
      {cache.total.toLocaleString()} {suffix}
      {age > refreshEvery({ text, source }) + graceMs && ` · as of ${spanText(age)} ago`}
    </Text>
  );
}
