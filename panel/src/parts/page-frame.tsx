import { Group, Stack, Text, Title } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import classes from './page-frame.module.css';

interface PageFrameProps {
  readonly title: string;
  /** False: it says more than the title in the header of the panel, which is all that a phone has room for. */
  readonly isInHeader?: boolean;
  readonly about?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

export function PageFrame({ title, isInHeader = true, about, actions, children }: PageFrameProps) {
  useEffect(() => {
    document.title = `${title} · proxy-manager`;
  }, [title]);
  return (
    <Stack gap="md">
      <Group justify="space-between" align="flex-start" gap="sm">
        <div>
          <Title order={1} size="h2" className={isInHeader ? classes.inHeader : undefined}>
            {title}
          </Title>
          {about !== undefined && (
            <Text c="dimmed" size="sm" mt={2}>
              {about}
            </Text>
          )}
        </div>
        {actions !== undefined && <Group gap="xs">{actions}</Group>}
      </Group>
      {children}
    </Stack>
  );
}
