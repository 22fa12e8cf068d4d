// What is blocked already, told while the address is typed: nobody overwrites an entry without knowing it.
import { Alert, Radio, Stack, Text } from '@mantine/core';
import type { BlockedIp } from '../../../api/types.ts';
import { momentText } from '../../../parts/age.tsx';
import { Said } from '../../../parts/said.tsx';
import type { Intent } from './block-request.ts';

export interface ExistingEntryProps {
  readonly entry: BlockedIp;
  readonly intent: Intent;
  readonly onIntent: (intent: 'extend' | 'replace') => void;
}

export function ExistingEntry({ entry, intent, onIntent }: ExistingEntryProps) {
  const { reason, blocked_by: by, expires_at: end } = entry;
  return (
    <Alert color="orange" variant="light" title={`${entry.ip_address} is blocked already`}>
      <Text size="sm" mb="xs" data-testid="existing">
        {end === null ? 'Permanently' : `Until ${momentText(end)}`}
        {by !== null && (
          <>
            , by <Said text={by} />
          </>
        )}
        {reason === null ? '. No reason is given.' : ': '}
        {reason !== null && <Said text={reason} />}
      </Text>
      <Radio.Group aria-label="What to do with the entry" value={intent} onChange={(to) => onIntent(to as 'extend')}>
        <Stack gap={6}>
          <Radio value="extend" label="Extend" description={extendWords(entry)} />
          <Radio value="replace" label="Replace" description="End, reason and source become what this dialog says." />
        </Stack>
      </Radio.Group>
    </Alert>
  );
}

function extendWords({ expires_at: end }: BlockedIp): string {
  const kept = 'The source is kept, and the reason unless you enter another.';
  return end === null ? `It stays permanent. ${kept}` : `The later end holds. ${kept}`;
}
