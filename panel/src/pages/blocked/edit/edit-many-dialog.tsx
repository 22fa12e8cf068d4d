import { Button, Checkbox, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { changeMany, useBlockedChange } from '../../../api/blocked-ips.ts';
import type { BlockedIp, BulkAnswer } from '../../../api/types.ts';
import { counted } from '../../../parts/counted.ts';
import { Dialog, DialogButtons } from '../../../parts/dialog.tsx';
import { changeTitle, ProblemAlert } from '../../../parts/problem-alert.tsx';
import { claimsOf, manual } from '../../../parts/source-words.ts';
import { StateMark } from '../../../parts/state-mark.tsx';
import { toast } from '../../../parts/toasts.tsx';
import { useSession, useSessionState } from '../../../session/session.ts';
import { type Duration, DurationField, keepExpiry, readDuration } from '../block/duration-field.tsx';
import { runtimeWords } from '../runtime-words.ts';
import { editRequests, otherReasons } from './edit-request.ts';

interface EditManyDialogProps {
  readonly entries: readonly BlockedIp[];
  readonly onDone: () => void;
  readonly onClose: () => void;
}

/** Extends blocks and sets reasons, in one request. */
export function EditManyDialog({ entries, onDone, onClose }: EditManyDialogProps) {
  const { clock } = useSession();
  const { info } = useSessionState();
  const [reason, setReason] = useState('');
  const [replacesReasons, setReplacesReasons] = useState(false);
  const [duration, setDuration] = useState<Duration>(keepExpiry);
  const change = useBlockedChange(changeMany);
  const seconds = readDuration(duration);
  const isWrong = typeof seconds === 'object' && seconds !== null;
  const end = duration.choice === 'keep' || isWrong ? 'keep' : seconds;
  const add = editRequests(entries, { reason, replacesReasons, end }, clock.now());
  const others = reason.trim() === '' ? 0 : otherReasons(entries, reason);
  const own = info?.source ?? manual;
  const ofOthers = entries.filter((entry) => claimsOf(entry).every(({ source }) => source !== own)).length;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (isWrong || add.length === 0) return;
    change.mutate(
      { add },
      {
        onSuccess: (answer) => {
          toast(editedWords(answer));
          onDone();
          onClose();
        },
      },
    );
  };
  return (
    <Dialog title={`Edit ${counted(entries.length, 'entry', 'entries')}`} size={770} onClose={onClose}>
      <form onSubmit={submit}>
        <Stack gap="md">
          <div>
            <DurationField value={duration} onChange={setDuration} label="Duration from now" keeps />
            <Text size="xs" c="dimmed" mt={4}>
              No block is shortened: later expiries, and permanent blocks, stay.
            </Text>
          </div>
          <TextInput
            label="Reason"
            description="Empty: the reasons stay."
            value={reason}
            maxLength={500}
            autoComplete="off"
            onChange={(event) => setReason(event.currentTarget.value)}
          />
          {others > 0 && (
            <Checkbox
              label={`Replace ${others === 1 ? 'the reason' : 'the reasons'} of ${counted(others, 'entry', 'entries')}`}
              description="Otherwise only entries without a reason get it."
              checked={replacesReasons}
              onChange={(event) => setReplacesReasons(event.currentTarget.checked)}
            />
          )}
          {ofOthers > 0 && (
            <StateMark tone="warn">
              {counted(ofOthers, 'address is', 'addresses are')} blocked by other sources only. A change adds a claim of{' '}
              {own}, which stays when they drop theirs.
            </StateMark>
          )}
          {change.isError && (
            <ProblemAlert title={changeTitle(change.error, 'The entries were not changed')} error={change.error} />
          )}
          <DialogButtons onCancel={onClose}>
            <Button type="submit" disabled={isWrong || add.length === 0} loading={change.isPending}>
              {add.length === 0 ? 'Save changes' : `Change ${counted(add.length, 'entry', 'entries')}`}
            </Button>
          </DialogButtons>
        </Stack>
      </form>
    </Dialog>
  );
}

function editedWords(answer: BulkAnswer) {
  const { added, updated, rejected_total: rejected, rejected: listed } = answer;
  const { tone, words } = runtimeWords(answer);
  const [first] = listed;
  const notes = [
    ...(added === 0
      ? []
      : [`${counted(added, 'address')} had been unblocked meanwhile and ${added === 1 ? 'is' : 'are'} blocked again.`]),
    ...(first === undefined ? [] : [`${rejected.toLocaleString()} rejected, such as ${first.value}: ${first.why}.`]),
  ];
  return {
    title: `${counted(updated, 'entry', 'entries')} changed`,
    words: [words, ...notes, 'An administrator can undo it in the audit log.'].join(' '),
    tone: notes.length === 0 ? tone : ('warn' as const),
  };
}
