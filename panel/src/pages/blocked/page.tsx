import { useEffect, useState } from 'react';
import { useSources } from '../../api/sources.ts';
import type { BlockedIp } from '../../api/types.ts';
import { Loading } from '../../parts/loading.tsx';
import { PageFrame } from '../../parts/page-frame.tsx';
import { ProblemAlert } from '../../parts/problem-alert.tsx';
import { useUrlState } from '../../parts/url-state.ts';
import { useAllowed } from '../../session/session.ts';
import { BlockDialog } from './block/block-dialog.tsx';
import classes from './blocked.module.css';
import { EditManyDialog } from './edit/edit-many-dialog.tsx';
import { EntryPanel } from './entry/entry-panel.tsx';
import { FilterBar } from './filters/filter-bar.tsx';
import { filterText } from './filters/filter-words.ts';
import { isFiltered, noFilter, selectedBy } from './filters/list-filter.ts';
import { ImportDialog } from './import/import-dialog.tsx';
import type { ListSort } from './list/column-header.tsx';
import { EntryList } from './list/entry-list.tsx';
import { usePageCache, usePageCacheState } from './list/use-page-cache.ts';
import { ListActions } from './list-actions.tsx';
import { ListSummary } from './list-summary.tsx';
import { NoEntries } from './no-entries.tsx';
import { SearchBar } from './search-bar.tsx';
import { UnblockSelectedDialog } from './unblock/unblock-selected-dialog.tsx';
import { useUnblock } from './unblock/use-unblock.tsx';
import { useBlockKey } from './use-block-key.ts';
import { useBlockedSearch } from './use-blocked-search.ts';
import { useSelection } from './use-selection.ts';
import { ViewTabs } from './views/view-tabs.tsx';

type OpenDialog =
  | { readonly kind: 'block'; readonly entry: BlockedIp | null }
  | { readonly kind: 'import' }
  | { readonly kind: 'edit'; readonly entries: readonly BlockedIp[] }
  | { readonly kind: 'unblock all' };

export default function BlockedPage() {
  const allowed = useAllowed('block');
  const admin = useAllowed('admin');
  const search = useBlockedSearch();
  const { query } = search;
  const cache = usePageCache(query);
  const state = usePageCacheState(cache);
  const { unblock, dialog: unblockDialog } = useUnblock();
  const [opened, setOpened] = useUrlState('entry');
  const [dialog, setDialog] = useState<OpenDialog | null>(null);
  const selection = useSelection();
  // What a list claims is changed by the list alone.
  const ofList = useSources().data?.items.some(({ name, kind }) => name === query.source && kind === 'list') === true;
  const everything = admin && !ofList ? selectedBy(query) : null;
  const filters = JSON.stringify({ ...query, sort: '', order: '' });
  // Entries that another search hides must not stay selected.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs for another search only.
  useEffect(selection.clear, [filters]);

  useBlockKey(allowed, () => setDialog({ kind: 'block', entry: null }));

  const unblockAll = (entries: readonly BlockedIp[]): void => {
    selection.drop(entries);
    setDialog(null);
    if (opened !== '') setOpened('');
    void unblock(entries);
  };
  const unblockSelected = (): void => {
    if (selection.all) setDialog({ kind: 'unblock all' });
    else unblockAll([...selection.entries.values()]);
  };
  const editSelected = (): void => {
    const [first, ...others] = selection.entries.values();
    if (first === undefined) return;
    setDialog(others.length === 0 ? { kind: 'block', entry: first } : { kind: 'edit', entries: [first, ...others] });
  };
  const edit = (entry: BlockedIp): void => {
    if (selection.entries.has(entry.ip_address)) editSelected();
    else setDialog({ kind: 'block', entry });
  };
  const sort: ListSort = {
    by: query.sort === '' ? 'address' : query.sort,
    descending: query.order === 'desc',
    onSort:
      search.settled.kind !== 'all' || query.not_hit_for !== ''
        ? null
        : (by, descending) =>
            search.setFilter({ sort: by === 'address' ? '' : by, order: descending ? 'desc' : '' }, 'push'),
  };

  return (
    <div className={classes.page}>
      <PageFrame
        title="Blocked addresses"
        actions={
          <ListActions
            query={query}
            total={state.total}
            onBlock={() => setDialog({ kind: 'block', entry: null })}
            onImport={() => setDialog({ kind: 'import' })}
          />
        }
      >
        <ViewTabs total={state.total} />
        <div className={classes.find}>
          <SearchBar search={search} />
          <FilterBar search={search} />
        </div>
        <ListSummary
          cache={state}
          query={query}
          sort={sort}
          selected={selection.all ? 'all' : selection.entries.size}
          onSelectAll={everything === null ? null : selection.selectAll}
          onEdit={allowed && !selection.all ? editSelected : null}
          onUnblock={unblockSelected}
          onClear={selection.clear}
        />
      </PageFrame>
      {state.error !== null && (
        <ProblemAlert
          title={state.total === null ? 'Could not load the list' : 'Could not refresh the list'}
          error={state.error}
          onRetry={() => void cache.refresh()}
        />
      )}
      {state.total === null && state.error === null && (
        <Loading what={query.text === '' ? 'Loading the list' : 'Searching reasons and “Blocked by”'} />
      )}
      {state.total === 0 && (
        <NoEntries
          search={search.settled}
          expiring={query.expiring}
          filtered={isFiltered(query)}
          neverMatched={query.not_hit_for !== ''}
          onSearchText={search.searchAsText}
          onClearFilters={() => search.setFilter(noFilter, 'push')}
          onBlock={() => setDialog({ kind: 'block', entry: null })}
          onImport={() => setDialog({ kind: 'import' })}
        />
      )}
      <div className={classes.body}>
        {state.total !== null && state.total > 0 && (
          <EntryList
            cache={cache}
            selected={selection.all ? 'all' : new Set(selection.entries.keys())}
            opened={opened}
            query={query}
            sort={sort}
            onSelect={allowed ? selection.select : null}
            onOpen={(entry) => setOpened(entry.ip_address, opened === '' ? 'push' : 'replace')}
            onUnblock={allowed ? (entry) => unblockAll([entry]) : null}
            onUnblockSelected={allowed ? unblockSelected : null}
            onEdit={allowed ? edit : null}
          />
        )}
        {opened !== '' && dialog === null && (
          <EntryPanel
            key={opened}
            ip={opened}
            onClose={() => setOpened('')}
            onEdit={(entry) => {
              setOpened('');
              setDialog({ kind: 'block', entry });
            }}
            onUnblock={(entry) => unblockAll([entry])}
          />
        )}
      </div>
      {dialog?.kind === 'block' && (
        <BlockDialog
          entry={dialog.entry}
          address={dialog.entry === null && state.total === 0 ? query.q : ''}
          onClose={() => setDialog(null)}
        />
      )}
      {dialog?.kind === 'edit' && (
        <EditManyDialog entries={dialog.entries} onDone={selection.keep} onClose={() => setDialog(null)} />
      )}
      {unblockDialog}
      {dialog?.kind === 'unblock all' && everything !== null && (
        <UnblockSelectedDialog
          selected={everything}
          words={filterText(search.filter)}
          onDone={selection.clear}
          onClose={() => setDialog(null)}
        />
      )}
      {dialog?.kind === 'import' && <ImportDialog onClose={() => setDialog(null)} />}
    </div>
  );
}
