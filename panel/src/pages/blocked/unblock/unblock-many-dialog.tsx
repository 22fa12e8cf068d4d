import { Stack, Text } from '@mantine/core';
import { counted } from '../../../../../src/domain/counted.ts';
import { useRemovalPreview } from '../../../api/blocked-ips.ts';
import type { BlockedIp } from '../../../api/types.ts';
import { Confirm } from '../../../parts/confirm.tsx';
import { ProblemAlert } from '../../../parts/problem-alert.tsx';
import { claimsOf, sourceNames, unblockEffect } from '../../../parts/source-words.ts';
import { StateMark } from '../../../parts/state-mark.tsx';
import { useSessionState } from '../../../session/session.ts';
import { coveringWords } from '../removal-words.ts';

interface UnblockManyDialogProps {
  readonly entries: readonly BlockedIp[];
  readonly onConfirm: () => Promise<void>;
  readonly onClose: () => void;
}

/** For entries of which some are claimed by other sources. */
export function UnblockManyDialog({ entries, onConfirm, onClose }: UnblockManyDialogProps) {
  const { info } = useSessionState();
  const preview = useRemovalPreview(entries.map(({ ip_address: ip }) => ip));
  const effects = entries.map((entry) => unblockEffect(claimsOf(entry), info?.source ?? null));
  const staying = effects.filter(({ kept }) => kept.length > 0);
  const dropped = effects.flatMap((effect) => effect.dropped);
  return (
    <Confirm
      title={`Unblock ${counted(entries.length, 'entry', 'entries')}?`}
      action="Drop claims"
      onConfirm={onConfirm}
      onClose={onClose}
    >
      <Stack gap="xs">
        <Text size="sm">
          {dropped.length === 0
            ? 'There is no claim that you can drop.'
            : `${counted(dropped.length, 'claim is', 'claims are')} dropped, of ${sourceNames(dropped)}.`}
        </Text>
        <StateMark tone={staying.length === 0 ? 'good' : 'warn'}>
          {staying.length === 0
            ? 'No other source claims these addresses.'
            : `${counted(staying.length, 'address stays', 'addresses stay')} blocked by ${sourceNames(staying.flatMap(({ kept }) => kept))}.`}
        </StateMark>
        <Covering preview={preview} />
      </Stack>
    </Confirm>
  );
}

/** The networks that keep them blocked. */
function Covering({ preview }: { readonly preview: ReturnType<typeof useRemovalPreview> }) {
  if (preview.error !== null) {
    return (
      <ProblemAlert
        title="Could not check which networks cover them"
        error={preview.error}
        onRetry={() => void preview.refetch()}
      />
    );
  }
  if (preview.data === undefined) return <Text size="sm">Checking which networks cover them…</Text>;
  const words = coveringWords(preview.data);
  return words === null ? null : <StateMark tone="warn">{words}</StateMark>;
}
