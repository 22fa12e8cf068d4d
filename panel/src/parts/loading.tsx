import { Group, Loader, Text } from '@mantine/core';

export function Loading({ what = 'Loading' }: { readonly what?: string }) {
  return (
    <Group gap="sm" p="md" role="status">
      <Loader size="sm" aria-hidden="true" />
      <Text c="dimmed">{what}…</Text>
    </Group>
  );
}
