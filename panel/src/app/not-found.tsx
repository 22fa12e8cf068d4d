import { Anchor, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { PageFrame } from '../parts/page-frame.tsx';

export function NotFound() {
  return (
    <PageFrame title="Page not found" isInHeader={false}>
      <Text>
        <Anchor renderRoot={(props) => <Link to="/" {...props} />}>Go to the overview</Anchor>
      </Text>
    </PageFrame>
  );
}
