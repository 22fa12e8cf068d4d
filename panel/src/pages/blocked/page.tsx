import { useEffect, useState } from 'react';
import type { BlockedIp } from '../../api/types.ts';
import { Loading } from '../../parts/loading.tsx';
import { PageFrame } from '../../parts/page-frame.tsx';
import { ProblemAlert } from '../../parts/problem-alert.tsx';
import { useUrlState } from '../../parts/url-state.ts';
import { useAllowed } from '../../session/session.ts';
import { BlockDialog } from './block/block-dialog.tsx';
import classes from './blocked.module.css';
import { EntryPanel } from './entry-panel.tsx';
import { ImportDialog } from './import/import-dialog.tsx';
import { EntryList } from './list/entry-list.tsx';
import { usePageCache, usePageCacheState } from './list/use-page-cache.ts';
import { ListActions } from './list-actions.tsx';
import { ListSummary } from './list-summary.tsx';
import { NoEntries } from './no-entries.tsx';
import { SearchBar } from './search-bar.tsx';
import { useUnblock } from './unblock/use-unblock.tsx';
import { useBlockedSearch } from './use-blocked-search.ts';

type OpenDialog = { readonly kind: 'block'; readonly entry: BlockedIp | null } | { readonly kind: 'import' };

export default function BlockedPage() {
  const allowed = useAllowed('block');
  const search = useBlockedSearch();
  const { query } = search;
  const cache = usePageCache(query);
  const state = usePageCacheState(cache);
  const { unblock, dialog: unblockDialog } = useUnblock();
  const [opened, setOpened] = useUrlState('entry');
  const [dialog, setDialog] = useState<OpenDialog | null>(null);
  const [selected, setSelected] = useState<ReadonlyMap<string, BlockedIp>>(new Map());
  // Entries that another search hides must not stay selected.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs for another search only.
  useEffect(() => setSelected(new Map()), [query.q, query.text, query.expiring, query.source]);

  const select = (entry: BlockedIp, range: readonly BlockedIp[] | null): void =>
    setSelected((before) => {
      const after = new Map(before);
      if (range !== null) for (const one of range) after.set(one.ip_address, one);
      else if (!after.delete(entry.ip_address)) after.set(entry.ip_address, entry);
      return after;
    });
  const removeAll = (entries: readonly BlockedIp[]): void => {
    const removed = new Set(entries.map(({ ip_address: ip }) => ip));
    setSelected((before) => new Map([...before].filter(([ip]) => !removed.has(ip))));
    setDialog(null);
    if (opened !== '') setOpened('');
    void unblock(entries);
  };
  const removeSelected = (): void => removeAll([...selected.values()]);

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
        <SearchBar search={search} />
        <ListSummary
          cache={state}
          search={search.settled}
          selected={selected.size}
          onRemove={removeSelected}
          onClear={() => setSelected(new Map())}
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
        <NoEntries search={search.settled} expiring={query.expiring} onSearchText={search.searchAsText} />
      )}
      {state.total !== null && state.total > 0 && (
        <EntryList
          cache={cache}
          selected={new Set(selected.keys())}
          found={query.text}
          onSelect={allowed ? select : null}
          onOpen={(entry) => setOpened(entry.ip_address, 'push')}
          onRemove={allowed ? (entry) => removeAll([entry]) : null}
          onRemoveSelected={allowed ? removeSelected : null}
        />
      )}
      {dialog?.kind === 'block' && (
        <BlockDialog
          entry={dialog.entry}
          address={dialog.entry === null && state.total === 0 ? query.q : ''}
          onClose={() => setDialog(null)}
        />
      )}
      {unblockDialog}
      {dialog?.kind === 'import' && <ImportDialog onClose={() => setDialog(null)} />}
      {opened !== '' && dialog === null && (
        <EntryPanel
          key={opened}
          ip={opened}
          onClose={() => setOpened('')}
          onEdit={(entry) => {
            setOpened('');
            setDialog({ kind: 'block', entry });
          }}
          onRemove={(entry) => removeAll([entry])}
        />
      )}
    </div>
  );
}
