import { Button } from '@mantine/core';
import { isProblem, problemCodes } from '../../../src/client/problem-codes.ts';

interface ReplaceConsentProps {
  readonly error: unknown;
  readonly busy: boolean;
  readonly onReplace: () => void;
}

/** The button that consents, below the service's refusal to replace a configuration that proxy-manager did not write. */
export function ReplaceConsent({ error, busy, onReplace }: ReplaceConsentProps) {
  if (!isProblem(error, problemCodes.liveConfigurationKept)) return null;
  return (
    <Button mt="xs" size="compact-sm" color="red" loading={busy} onClick={onReplace}>
      Replace live configuration
    </Button>
  );
}
