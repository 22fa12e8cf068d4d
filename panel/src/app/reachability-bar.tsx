import { Alert, Text } from '@mantine/core';
import { spanText, useNow } from '../parts/age.tsx';
import { useSessionState } from '../session/session.ts';

/** Above every page while the service does not answer: what is shown below is old, and says how old. */
export function ReachabilityBar() {
  const { unreachableSince, lastAnswer } = useSessionState();
  const now = useNow();
  if (unreachableSince === null) return null;
  return (
    <Alert color="red" variant="light" title="The service does not answer" mb="md" role="alert">
      <Text size="sm">
        {lastAnswer === null ? 'It has not answered yet. ' : `What you see is ${spanText(now - lastAnswer)} old. `}
        It is asked again every few seconds, and this page goes on by itself. If the proxy is running, it keeps blocking
        with what it has.
      </Text>
    </Alert>
  );
}
