import { Button } from '@mantine/core';
import { useState } from 'react';
import { counted } from '../../../../../src/domain/counted.ts';
import { useViews } from '../../../api/views.ts';
import { shortCount } from '../../../parts/figures.ts';
import { useUrlValues } from '../../../parts/url-state.ts';
import { useAllowed } from '../../../session/session.ts';
import { noFilter } from '../filters/list-filter.ts';
import { useViewCounts } from './view-counts.ts';
import { RemoveViewDialog, SaveViewDialog } from './view-dialogs.tsx';
import { isSameView, onlyOrders, ownViews, type View, viewQuery, viewSearch } from './view-state.ts';
import classes from './view-tabs.module.css';

interface ViewTabsProps {
  /** Of the list that is shown; null: not loaded. */
  readonly total: number | null;
}

/** The views of the list that are built in, and those that were saved: all users see the same. */
export function ViewTabs({ total }: ViewTabsProps) {
  const stored = useViews();
  const saved = stored.data ?? [];
  const may = useAllowed('admin');
  const [search, setSearch] = useUrlValues({ ...noFilter, q: '', in: '' });
  const [dialog, setDialog] = useState<'save' | 'remove' | null>(null);
  const views: readonly View[] = [
    ...ownViews,
    ...saved.filter(({ page }) => page === '/blocked').map(({ name, query }) => ({ name, search: viewSearch(query) })),
  ];
  const current = views.find((view) => isSameView(view.search, search));
  const isOwn = current !== undefined && ownViews.includes(current);
  const query = viewQuery(search);
  const counts = useViewCounts(views, total !== null && !stored.isPending);
  return (
    <div className={classes.bar}>
      <fieldset className={classes.tabs} aria-label="Views">
        {views.map((view) => (
          <Tab
            key={`${view.name} ${ownViews.includes(view)}`}
            name={view.name}
            // The list counts what it shows itself.
            entries={onlyOrders(view.search) ? null : ((view === current ? total : null) ?? counts.get(view) ?? null)}
            isCurrent={view === current}
            onOpen={() => setSearch(view.search, 'push')}
          />
        ))}
      </fieldset>
      {may && current === undefined && query !== '' && (
        <Button size="compact-sm" variant="subtle" onClick={() => setDialog('save')}>
          Save view
        </Button>
      )}
      {may && current !== undefined && !isOwn && (
        <Button size="compact-sm" variant="subtle" color="gray" onClick={() => setDialog('remove')}>
          Remove view
        </Button>
      )}
      {dialog === 'save' && (
        <SaveViewDialog query={query} names={saved.map(({ name }) => name)} onClose={() => setDialog(null)} />
      )}
      {dialog === 'remove' && current !== undefined && (
        <RemoveViewDialog name={current.name} onClose={() => setDialog(null)} />
      )}
    </div>
  );
}

interface TabProps {
  readonly name: string;
  /** Null: not known, or that of another view. */
  readonly entries: number | null;
  readonly isCurrent: boolean;
  readonly onOpen: () => void;
}

function Tab({ name, entries, isCurrent, onOpen }: TabProps) {
  const exact = entries === null ? {} : { title: counted(entries, 'entry', 'entries') };
  return (
    <button type="button" className={classes.tab} aria-pressed={isCurrent} onClick={onOpen} {...exact}>
      {name}
      {entries !== null && (
        <span className={classes.count} aria-hidden="true">
          {shortCount(entries)}
        </span>
      )}
    </button>
  );
}
