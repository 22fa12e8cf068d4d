import { Button, Group } from '@mantine/core';

interface LoadOlderProps {
  readonly words?: string;
  readonly of: {
    readonly hasNextPage: boolean;
    readonly isFetchingNextPage: boolean;
    readonly fetchNextPage: () => unknown;
  };
}

export function LoadOlder({ of: query, words = 'Load older records' }: LoadOlderProps) {
  if (!query.hasNextPage) return null;
  return (
    <Group justify="center" mt="sm">
      <Button variant="default" onClick={() => void query.fetchNextPage()} loading={query.isFetchingNextPage}>
        {words}
      </Button>
    </Group>
  );
}
