import { Button } from '@mantine/core';
import { isProblem, problemCodes } from '../../../src/client/problem-codes.ts';

export interface ReplaceConsentProps {
  readonly error: unknown;
  /** Such as "Replace it and reload". */
  readonly action: string;
  readonly busy: boolean;
  /** The same request, with consent. */
  readonly onReplace: () => void;
}

/** Below a refusal to replace a live configuration that proxy-manager did not write: the button that consents. */
export function ReplaceConsent({ error, action, busy, onReplace }: ReplaceConsentProps) {
  if (!isProblem(error, problemCodes.liveConfigurationKept)) return null;
  return (
    <Button mt="xs" size="compact-sm" color="red" loading={busy} onClick={onReplace}>
      {action}
    </Button>
  );
}
