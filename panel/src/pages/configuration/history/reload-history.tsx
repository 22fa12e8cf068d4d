import { Button, Group } from '@mantine/core';
import { useReloads } from '../../../api/config.ts';
import { Loading } from '../../../parts/loading.tsx';
import { NothingHere } from '../../../parts/nothing-here.tsx';
import { ProblemAlert } from '../../../parts/problem-alert.tsx';
import { useRowKeys } from '../../../parts/use-row-keys.ts';
import { ReloadItem } from './reload-item.tsx';

export function ReloadHistory() {
  const reloads = useReloads();
  const rows = useRowKeys();
  const items = reloads.data?.pages.flatMap((page) => page.items);
  return (
    <>
      {reloads.error !== null && (
        <ProblemAlert
          title={items === undefined ? 'The history could not be read' : 'What you see may be old'}
          error={reloads.error}
          onRetry={() => void reloads.refetch()}
        />
      )}
      {items === undefined ? (
        reloads.error === null && <Loading what="Reading the history" />
      ) : items.length === 0 ? (
        <NothingHere title="No reload yet">Each will be here, with what HAProxy said.</NothingHere>
      ) : (
        <ul className="reloads" ref={rows} data-rows>
          {items.map((reload) => (
            <ReloadItem key={reload.id} reload={reload} />
          ))}
        </ul>
      )}
      {reloads.hasNextPage && (
        <Group justify="center" mt="sm">
          <Button variant="default" onClick={() => void reloads.fetchNextPage()} loading={reloads.isFetchingNextPage}>
            Show older ones
          </Button>
        </Group>
      )}
    </>
  );
}
