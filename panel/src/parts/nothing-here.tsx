import { Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';

export interface NothingHereProps {
  readonly title: string;
  readonly children?: ReactNode;
}

/** An empty list: what would be here, and how it comes here. */
export function NothingHere({ title, children }: NothingHereProps) {
  return (
    <Stack gap={4} align="center" py="xl" px="md" ta="center">
      <Text fw={600}>{title}</Text>
      {children !== undefined && (
        <Text c="dimmed" size="sm" maw={520} component="div">
          {children}
        </Text>
      )}
    </Stack>
  );
}
