import { Alert, Text } from '@mantine/core';
import { spanText, useNow } from '../parts/age.tsx';
import { useSessionState } from '../session/session.ts';

export function ReachabilityBar() {
  const { unreachableSince, lastAnswer } = useSessionState();
  const now = useNow();
  if (unreachableSince === null) return null;
  return (
    <Alert color="red" variant="light" title="The service does not respond" mb="md" role="alert">
      <Text size="sm">
        {lastAnswer === null ? 'No response yet. ' : `The data shown is ${spanText(now - lastAnswer)} old. `}
        The panel retries every few seconds and recovers automatically. If HAProxy is running, it keeps blocking with
        the entries it has.
      </Text>
    </Alert>
  );
}
