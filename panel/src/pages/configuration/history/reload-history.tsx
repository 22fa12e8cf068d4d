import { useReloads } from '../../../api/config.ts';
import { EmptyState } from '../../../parts/empty-state.tsx';
import { LoadOlder } from '../../../parts/load-older.tsx';
import { Read } from '../../../parts/read.tsx';
import { useRowKeys } from '../../../parts/use-row-keys.ts';
import classes from './history.module.css';
import { ReloadItem } from './reload-item.tsx';

export function ReloadHistory() {
  const reloads = useReloads();
  const rows = useRowKeys();
  return (
    <>
      <Read of={reloads} failed="Could not load the history" loading="Loading the history">
        {({ pages }) => {
          const items = pages.flatMap((page) => page.items);
          if (items.length === 0)
            return <EmptyState title="No reloads yet">Each reload appears here, with HAProxy’s messages.</EmptyState>;
          return (
            <ul className={classes.reloads} ref={rows} data-rows>
              {items.map((reload) => (
                <ReloadItem key={reload.id} reload={reload} />
              ))}
            </ul>
          );
        }}
      </Read>
      <LoadOlder of={reloads} />
    </>
  );
}
