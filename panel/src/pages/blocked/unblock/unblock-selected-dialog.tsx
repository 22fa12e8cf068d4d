// Unblocks all that the filters select, in one request that names how many entries it expects.
import { Stack, Text } from '@mantine/core';
import { counted } from '../../../../../src/domain/counted.ts';
import { type Selected, unblockSelected, useRefreshBlocked, useSelectedPreview } from '../../../api/blocked-ips.ts';
import { Confirm } from '../../../parts/confirm.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { Loading } from '../../../parts/loading.tsx';
import { ProblemAlert } from '../../../parts/problem-alert.tsx';
import { StateMark } from '../../../parts/state-mark.tsx';
import { toast } from '../../../parts/toasts.tsx';
import { useApi } from '../../../session/session.ts';
import { removedEverywhere } from '../removal-words.ts';

/** The service does not count them: the filters may select a million entries. */
const inNetworks = 'An address inside another blocked network stays blocked.';

interface UnblockSelectedDialogProps {
  readonly selected: Selected;
  /** The filters in words. */
  readonly words: string;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

export function UnblockSelectedDialog({ selected, words, onDone, onClose }: UnblockSelectedDialogProps) {
  const api = useApi();
  const refresh = useRefreshBlocked();
  const preview = useSelectedPreview(selected);
  const { data, error } = preview;
  if (data === undefined || error !== null) {
    return (
      <Dialog title="Unblock all selected entries" onClose={onClose}>
        {error === null ? (
          <Loading what="Counting the entries" />
        ) : (
          <ProblemAlert title="Could not count the entries" error={error} onRetry={() => void preview.refetch()} />
        )}
      </Dialog>
    );
  }
  const staying = data.still_claimed_total ?? 0;
  const expected = data.removed + staying;
  if (expected === 0) {
    return (
      <Dialog title="Unblock all selected entries" onClose={onClose}>
        <Text size="sm">
          There is no claim that you can drop: lists claim these addresses. To allow an address, trust it.
        </Text>
      </Dialog>
    );
  }
  const unblock = async (): Promise<void> => {
    try {
      const answer = await unblockSelected(api, selected, expected);
      const { tone, words: removed } = removedEverywhere(answer);
      const kept = answer.still_claimed_total ?? 0;
      const words = [
        // Where nothing was removed, no worker was to remove anything.
        ...(answer.removed === 0 && tone === 'good' ? [] : [removed, inNetworks]),
        ...(kept === 0 ? [] : [`${counted(kept, 'address stays', 'addresses stay')} blocked by other sources.`]),
        'An administrator can undo it in the audit log.',
      ];
      toast({
        title: `${counted(answer.removed, 'entry', 'entries')} unblocked`,
        words: words.join(' '),
        tone,
      });
      onDone();
    } finally {
      refresh();
    }
  };
  return (
    <Confirm
      title={`Unblock ${counted(data.removed, 'entry', 'entries')}?`}
      action={`Unblock ${counted(data.removed, 'entry', 'entries')}`}
      onConfirm={unblock}
      onClose={onClose}
    >
      <Stack gap="xs">
        <Text size="sm">
          {words}. One request drops {counted(expected, 'claim')}; if the list has changed until then, it changes
          nothing. {inNetworks}
        </Text>
        {staying > 0 && (
          <StateMark tone="warn">
            {counted(staying, 'address stays', 'addresses stay')} blocked by other sources.
          </StateMark>
        )}
      </Stack>
    </Confirm>
  );
}
