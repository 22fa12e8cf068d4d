// A page for administrators; for other keys it sends no request.
import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useAllowed } from '../session/session.ts';
import { PageFrame } from './page-frame.tsx';

interface AdminPageProps {
  readonly title: string;
  readonly children: ReactNode;
}

export function AdminPage({ title, children }: AdminPageProps) {
  const allowed = useAllowed('admin');
  if (allowed) return children;
  return (
    <PageFrame title={title}>
      <Text c="dimmed">You need an administrator key to see this page.</Text>
    </PageFrame>
  );
}
