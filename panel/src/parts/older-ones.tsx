import { Button, Group } from '@mantine/core';

export interface OlderOnesProps {
  /** An infinite query of TanStack whose next page is further back. */
  readonly of: {
    readonly hasNextPage: boolean;
    readonly isFetchingNextPage: boolean;
    readonly fetchNextPage: () => unknown;
  };
}

/** Below a list with its newest first: a button for more of it, while there is more. */
export function OlderOnes({ of: query }: OlderOnesProps) {
  if (!query.hasNextPage) return null;
  return (
    <Group justify="center" mt="sm">
      <Button variant="default" onClick={() => void query.fetchNextPage()} loading={query.isFetchingNextPage}>
        Show older ones
      </Button>
    </Group>
  );
}
