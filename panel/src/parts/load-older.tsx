import { Button, Group } from '@mantine/core';

export interface LoadOlderProps {
  /** An infinite query of TanStack, newest first. */
  readonly of: {
    readonly hasNextPage: boolean;
    readonly isFetchingNextPage: boolean;
    readonly fetchNextPage: () => unknown;
  };
}

/** A button below a list, shown while older records exist. */
export function LoadOlder({ of: query }: LoadOlderProps) {
  if (!query.hasNextPage) return null;
  return (
    <Group justify="center" mt="sm">
      <Button variant="default" onClick={() => void query.fetchNextPage()} loading={query.isFetchingNextPage}>
        Load older records
      </Button>
    </Group>
  );
}
