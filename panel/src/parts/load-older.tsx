import { Button, Group } from '@mantine/core';

interface LoadOlderProps {
  readonly of: {
    readonly hasNextPage: boolean;
    readonly isFetchingNextPage: boolean;
    readonly fetchNextPage: () => unknown;
  };
}

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
