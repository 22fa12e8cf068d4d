import { Button } from '@mantine/core';
import { useState } from 'react';
import { useViews } from '../../../api/views.ts';
import { useUrlValues } from '../../../parts/url-state.ts';
import { useAllowed } from '../../../session/session.ts';
import { noFilter } from '../filters/list-filter.ts';
import { RemoveViewDialog, SaveViewDialog } from './view-dialogs.tsx';
import { isSameView, ownViews, type View, viewQuery, viewSearch } from './view-state.ts';
import classes from './view-tabs.module.css';

/** The views of the list that are built in, and those that were saved: all users see the same. */
export function ViewTabs() {
  const saved = useViews().data ?? [];
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
  return (
    <div className={classes.bar}>
      <fieldset className={classes.tabs} aria-label="Views">
        {views.map((view) => (
          <button
            key={`${view.name} ${ownViews.includes(view)}`}
            type="button"
            className={classes.tab}
            aria-pressed={view === current}
            onClick={() => setSearch(view.search, 'push')}
          >
            {view.name}
          </button>
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
