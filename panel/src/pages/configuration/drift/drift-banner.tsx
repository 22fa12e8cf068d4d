import { Alert, Anchor, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useHealth } from '../../../api/health.ts';
import { sentence } from '../../../parts/problem-alert.tsx';
import { useAllowed } from '../../../session/session.ts';
import { driftWords } from './drift-words.ts';

export function DriftBanner() {
  const drift = driftWords(useHealth().data?.configuration_drift);
  const admin = useAllowed('admin');
  if (drift === null) return null;
  return (
    <Alert color="orange" variant="light" title={drift.title} role="status" data-testid="drift">
      <Text size="sm">
        {drift.words === '' ? '' : `${sentence(drift.words)} `}
        {admin && (
          <Anchor inherit renderRoot={(props) => <Link to="/configuration" search={{ tab: 'change' }} {...props} />}>
            Review changes
          </Anchor>
        )}
      </Text>
    </Alert>
  );
}
