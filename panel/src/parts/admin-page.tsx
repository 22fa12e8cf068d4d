// A page that only a key that may do everything opens: without one nothing is asked of the service.
import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useMay } from '../session/session.ts';
import { PageFrame } from './page-frame.tsx';

export interface AdminPageProps {
  readonly title: string;
  /** What the key may not look at, such as "keys". */
  readonly what: string;
  readonly children: ReactNode;
}

export function AdminPage({ title, what, children }: AdminPageProps) {
  const may = useMay('admin');
  if (may) return children;
  return (
    <PageFrame title={title}>
      <Text c="dimmed">Your key may not look at {what}. One that may do everything can.</Text>
    </PageFrame>
  );
}
