import { Button, Group, Text } from '@mantine/core';
import styles from '../../parts/styles.module.css';
import { useAllowed } from '../../session/session.ts';
import { isNetwork, type Search } from './search.ts';

interface NoEntriesProps {
  readonly search: Search;
  readonly expiring: boolean;
  /** Entries may exist that the filters leave out. */
  readonly filtered: boolean;
  /** Only entries that denied nothing in some time are shown. */
  readonly neverMatched: boolean;
  readonly onSearchText: () => void;
  readonly onClearFilters: () => void;
  readonly onBlock: () => void;
  readonly onImport: () => void;
}

export function NoEntries(props: NoEntriesProps) {
  const { search, expiring, filtered, neverMatched, onSearchText, onClearFilters, onBlock, onImport } = props;
  const may = useAllowed('block');
  const { title, hint } = words(search, expiring, filtered, neverMatched);
  return (
    <div className={styles.card}>
      <Text fw={600} className={styles.wrap}>
        {title}
      </Text>
      <Text size="sm" c="dimmed">
        {hint}
      </Text>
      {search.kind === 'address' && (
        <Button mt="sm" size="compact-sm" variant="default" onClick={onSearchText}>
          Search reasons and “Blocked by” instead
        </Button>
      )}
      {search.kind === 'all' && filtered && (
        <Button mt="sm" size="compact-sm" variant="default" onClick={onClearFilters}>
          Remove all filters
        </Button>
      )}
      {search.kind === 'all' && !filtered && may && (
        <Group mt="sm" gap="xs">
          <Button size="compact-sm" onClick={onBlock}>
            Block an address
          </Button>
          <Button size="compact-sm" variant="default" onClick={onImport}>
            Import a list
          </Button>
        </Group>
      )}
    </div>
  );
}

const onlyOldEnough = 'Whether an entry matched is known only of those that have been blocked for all of this time.';

function words(
  search: Search,
  expiring: boolean,
  filtered: boolean,
  neverMatched: boolean,
): { readonly title: string; readonly hint: string } {
  const among = expiring ? ' among temporary blocks' : '';
  switch (search.kind) {
    case 'all':
      return filtered
        ? {
            title: 'No entry has these properties',
            hint: neverMatched ? onlyOldEnough : 'Other entries may be blocked: the filters leave them out.',
          }
        : { title: 'No blocked addresses yet', hint: 'Every client is served. A blocked one gets 403, on every site.' };
    case 'address':
      return {
        title: `No matches for ${search.q}${among}`,
        hint: `No entry ${isNetwork(search.q) ? 'is inside it' : 'starts with it'} or covers it. “Check an address” also queries HAProxy.`,
      };
    case 'text':
      return {
        title: `No matches for “${search.text}”${among}`,
        hint: 'No entry has this text in its reason or “Blocked by”. To search addresses, include a digit or a colon.',
      };
  }
}
