import { Button, Group, Text } from '@mantine/core';
import { spanText, useNow } from '../../parts/age.tsx';
import { counted } from '../../parts/counted.ts';
import styles from '../../parts/styles.module.css';
import type { BookState } from './list/page-book.ts';
import { refreshEvery } from './list/use-page-book.ts';
import type { Search } from './search.ts';

interface ListSummaryProps {
  readonly book: BookState;
  readonly search: Search;
  readonly selected: number;
  readonly onRemove: () => void;
  readonly onClear: () => void;
}

export function ListSummary({ book, search, selected, onRemove, onClear }: ListSummaryProps) {
  return (
    <Group justify="space-between" mih={30} gap="xs">
      <Count book={book} search={search} />
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

function Count({ book, search }: Pick<ListSummaryProps, 'book' | 'search'>) {
  const now = useNow(2_000);
  if (book.total === null || book.loadedAt === null) return <span />;
  const age = now - book.loadedAt;
  const suffix = { all: 'blocked', address: 'found', text: 'found in reasons and sources' }[search.kind];
  const text = search.kind === 'text' ? search.text : '';
  return (
    <Text size="sm" c="dimmed" className={styles.figure} role="status">
      {book.total.toLocaleString()} {suffix}
      {age > refreshEvery({ text }) + graceMs && ` · as of ${spanText(age)} ago`}
    </Text>
  );
}
