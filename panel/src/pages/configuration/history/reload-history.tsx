import { useReloads } from '../../../api/config.ts';
import { NothingHere } from '../../../parts/nothing-here.tsx';
import { OlderOnes } from '../../../parts/older-ones.tsx';
import { Read } from '../../../parts/read.tsx';
import { useRowKeys } from '../../../parts/use-row-keys.ts';
import classes from './history.module.css';
import { ReloadItem } from './reload-item.tsx';

export function ReloadHistory() {
  const reloads = useReloads();
  const rows = useRowKeys();
  return (
    <>
      <Read of={reloads} failed="The history could not be read" loading="Reading the history">
        {({ pages }) => {
          const items = pages.flatMap((page) => page.items);
          if (items.length === 0)
            return <NothingHere title="No reload yet">Each will be here, with what HAProxy said.</NothingHere>;
          return (
            <ul className={classes.reloads} ref={rows} data-rows>
              {items.map((reload) => (
                <ReloadItem key={reload.id} reload={reload} />
              ))}
            </ul>
          );
        }}
      </Read>
      <OlderOnes of={reloads} />
    </>
  );
}
