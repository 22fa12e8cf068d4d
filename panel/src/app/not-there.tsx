import { Anchor, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { PageFrame } from '../parts/page-frame.tsx';

export function NotThere() {
  return (
    <PageFrame title="There is no such page">
      <Text>
        <Anchor renderRoot={(props) => <Link to="/" {...props} />}>Go to the overview</Anchor>
      </Text>
    </PageFrame>
  );
}
