import { Button, Group, Text } from '@mantine/core';
import { count, counted } from '../../../../src/domain/counted.ts';
import type { BlockedQuery } from '../../api/blocked-ips.ts';
import { spanText, useNow } from '../../parts/age.tsx';
import styles from '../../parts/styles.module.css';
import { isFiltered } from './filters/list-filter.ts';
import type { ListSort } from './list/column-header.tsx';
import { OrderMenu } from './list/order-menu.tsx';
import type { PageCacheState } from './list/page-cache.ts';
import { useRefreshEvery } from './list/use-page-cache.ts';

interface ListSummaryProps {
  readonly cache: PageCacheState;
  readonly query: BlockedQuery;
  readonly sort: ListSort;
  /** `all`: what the filters select, without a list of them. */
  readonly selected: number | 'all';
  /** Null: one request cannot select exactly what the list shows. */
  readonly onSelectAll: (() => void) | null;
  /** Null: one request cannot change them, or the key may not. */
  readonly onEdit: (() => void) | null;
  readonly onUnblock: () => void;
  readonly onClear: () => void;
}

export function ListSummary(props: ListSummaryProps) {
  const { cache, query, sort, selected, onSelectAll, onEdit, onUnblock, onClear } = props;
  const { total } = cache;
  const chosen = selected === 'all' ? (total ?? 0) : selected;
  const more = total !== null && total > chosen;
  return (
    <Group justify="space-between" mih={30} gap="xs">
      <Count cache={cache} query={query} />
      {chosen === 0 && <OrderMenu sort={sort} />}
      {chosen > 0 && (
        <Group gap="xs">
          <Text size="sm" role="status">
            {count(chosen)} selected
          </Text>
          {onSelectAll !== null && more && (
            <Button size="compact-sm" variant="subtle" onClick={onSelectAll}>
              Select all {count(total)}
            </Button>
          )}
          {onEdit !== null && (
            <Button size="compact-sm" variant="default" onClick={onEdit}>
              Edit {counted(chosen, 'entry', 'entries')}
            </Button>
          )}
          <Button size="compact-sm" variant="default" onClick={onUnblock}>
            Unblock {counted(chosen, 'entry', 'entries')}
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

function Count({ cache, query }: Pick<ListSummaryProps, 'cache' | 'query'>) {
  const now = useNow(2_000);
  const refreshEvery = useRefreshEvery(query);
  if (cache.total === null || cache.loadedAt === null) return <span />;
  const age = now - cache.loadedAt;
  const found = query.text === '' ? 'found' : 'found in reasons and “Blocked by”';
  return (
    <Text size="sm" c="dimmed" className={styles.figure} role="status">
      {count(cache.total)} {isFiltered(query) ? found : 'blocked'}
      {age > refreshEvery + graceMs && ` · as of ${spanText(age)} ago`}
    </Text>
  );
}
