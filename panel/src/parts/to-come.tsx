import { Text } from '@mantine/core';
import { PageFrame } from './page-frame.tsx';

/** A page that is not built yet. */
export function ToCome({ title }: { readonly title: string }) {
  return (
    <PageFrame title={title}>
      <Text c="dimmed">This page is not built yet. The API and the command line do it.</Text>
    </PageFrame>
  );
}
