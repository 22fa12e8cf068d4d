// The current entry of the typed address, so that it is not overwritten by accident.
import { Alert, Radio, Stack, Text } from '@mantine/core';
import type { BlockedIp } from '../../../api/types.ts';
import { momentText } from '../../../parts/times.ts';
import { UserText } from '../../../parts/user-text.tsx';
import type { Intent } from './block-request.ts';

interface ExistingEntryProps {
  readonly entry: BlockedIp;
  readonly intent: Intent;
  readonly onIntent: (intent: 'extend' | 'replace') => void;
}

export function ExistingEntry({ entry, intent, onIntent }: ExistingEntryProps) {
  const { reason, blocked_by: by, expires_at: end } = entry;
  return (
    <Alert color="orange" variant="light" title={`${entry.ip_address} is already blocked`}>
      <Text size="sm" mb="xs" data-testid="existing">
        {end === null ? 'Permanent' : `Until ${momentText(end)}`}
        {by !== null && (
          <>
            . Blocked by: <UserText text={by} />
          </>
        )}
        {reason !== null && (
          <>
            . Reason: <UserText text={reason} />
          </>
        )}
      </Text>
      <Radio.Group aria-label="Existing entry" value={intent} onChange={(to) => onIntent(to as 'extend')}>
        <Stack gap={6}>
          <Radio value="extend" label="Extend" description={extendWords(entry)} />
          <Radio
            value="replace"
            label="Replace"
            description="Overwrites expiry, reason and “Blocked by” with the values of this dialog."
          />
        </Stack>
      </Radio.Group>
    </Alert>
  );
}

function extendWords({ expires_at: end }: BlockedIp): string {
  const kept = 'Keeps “Blocked by”, and the reason unless you enter another.';
  return `${end === null ? 'Stays permanent.' : 'The later expiry applies.'} ${kept}`;
}
