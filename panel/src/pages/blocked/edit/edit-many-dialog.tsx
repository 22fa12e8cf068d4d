import { Button, Checkbox, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { count, counted } from '../../../../../src/domain/counted.ts';
import { changeMany, fetchEntries, useBlockedChange } from '../../../api/blocked-ips.ts';
import type { ApiClient } from '../../../api/request.ts';
import type { BlockedIp, BulkAnswer } from '../../../api/types.ts';
import { Dialog, DialogButtons } from '../../../parts/dialog.tsx';
import { changeTitle, ProblemAlert } from '../../../parts/problem-alert.tsx';
import { manual, ownClaim } from '../../../parts/source-words.ts';
import { StateMark } from '../../../parts/state-mark.tsx';
import { toast } from '../../../parts/toasts.tsx';
import { useSession, useSessionState } from '../../../session/session.ts';
import { type Duration, DurationField, keepExpiry, readDuration } from '../block/duration-field.tsx';
import { runtimeWords } from '../runtime-words.ts';
import { changedSince, type Edit, editRequests, otherReasons } from './edit-request.ts';

interface EditManyDialogProps {
  readonly entries: readonly BlockedIp[];
  /** @param rejected entries that were not changed */
  readonly onDone: (rejected: readonly BlockedIp[]) => void;
  readonly onClose: () => void;
}

/** Extends blocks and sets reasons, in one request. */
export function EditManyDialog({ entries: selected, onDone, onClose }: EditManyDialogProps) {
  const { clock } = useSession();
  const { info } = useSessionState();
  const [entries, setEntries] = useState(selected);
  const [meanwhile, setMeanwhile] = useState<Meanwhile | null>(null);
  const [reason, setReason] = useState('');
  const [replacesReasons, setReplacesReasons] = useState(false);
  const [duration, setDuration] = useState<Duration>(keepExpiry);
  const change = useBlockedChange(editIfUnchanged);
  const seconds = readDuration(duration);
  const isWrong = typeof seconds === 'object' && seconds !== null;
  const end = duration.choice === 'keep' || isWrong ? 'keep' : seconds;
  const source = info?.source ?? null;
  const edit: Edit = { source, reason, replacesReasons, end };
  const add = editRequests(entries, edit, clock.now());
  const edited = new Set(add.map(({ ip_address: ip }) => ip));
  const others = reason.trim() === '' ? 0 : otherReasons(entries, edit);
  const ofOthers = entries.filter((entry) => edited.has(entry.ip_address) && ownClaim(entry, source) === null).length;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (isWrong || add.length === 0) return;
    setMeanwhile(null);
    const sent = entries.filter(({ ip_address: ip }) => edited.has(ip));
    change.mutate(
      { entries: sent, edit, now: () => clock.now() },
      {
        onSuccess: ({ answer, changed, current }) => {
          if (answer === null) {
            const gone = sent.filter(({ ip_address: ip }) => !current.has(ip));
            setMeanwhile({ changed: changed.length - gone.length, gone: gone.length });
            setEntries(
              entries.filter((entry) => !gone.includes(entry)).map((entry) => current.get(entry.ip_address) ?? entry),
            );
            return;
          }
          toast(editedWords(answer));
          onDone(rejectedOf(sent, answer));
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
              {source ?? manual}, which stays when they drop theirs.
            </StateMark>
          )}
          {meanwhile !== null && <StateMark tone="warn">{meanwhileWords(meanwhile)}</StateMark>}
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

interface EditRequest {
  readonly entries: readonly BlockedIp[];
  readonly edit: Edit;
  readonly now: () => number;
}

interface EditAnswer {
  /** Null: nothing was sent, since entries had changed. */
  readonly answer: BulkAnswer | null;
  readonly changed: readonly BlockedIp[];
  readonly current: ReadonlyMap<string, BlockedIp>;
}

/** What the dialog shows is as old as the selection: another person may have changed or unblocked an entry since. */
async function editIfUnchanged(api: ApiClient, { entries, edit, now }: EditRequest): Promise<EditAnswer> {
  const current = await fetchEntries(
    api,
    entries.map(({ ip_address: ip }) => ip),
  );
  const changed = changedSince(entries, current, edit.source);
  if (changed.length > 0) return { answer: null, changed, current };
  return { answer: await changeMany(api, { add: editRequests([...current.values()], edit, now()) }), changed, current };
}

interface Meanwhile {
  readonly changed: number;
  readonly gone: number;
}

function meanwhileWords({ changed, gone }: Meanwhile): string {
  const what = [
    ...(changed === 0 ? [] : [`${counted(changed, 'entry was', 'entries were')} changed`]),
    ...(gone === 0 ? [] : [`${counted(gone, 'entry was', 'entries were')} unblocked`]),
  ];
  return `Nothing was sent: ${what.join(' and ')} meanwhile. The dialog has the current entries now.`;
}

/** All of them if the answer does not name each. */
function rejectedOf(sent: readonly BlockedIp[], { rejected, rejected_total: total }: BulkAnswer): readonly BlockedIp[] {
  if (rejected.length < total) return sent;
  const values = new Set(rejected.map(({ value }) => value));
  return sent.filter(({ ip_address: ip }) => values.has(ip));
}

function editedWords(answer: BulkAnswer) {
  const { added, updated, rejected_total: rejected, rejected: listed } = answer;
  const { tone, words } = runtimeWords(answer);
  const [first] = listed;
  const notes = [
    ...(added === 0
      ? []
      : [`${counted(added, 'address')} had been unblocked meanwhile and ${added === 1 ? 'is' : 'are'} blocked again.`]),
    ...(first === undefined
      ? []
      : [`${count(rejected)} rejected, such as ${first.value}: ${first.why}. They stay selected.`]),
  ];
  return {
    title: `${counted(updated, 'entry', 'entries')} changed`,
    words: [words, ...notes, 'An administrator can undo it in the audit log.'].join(' '),
    tone: notes.length === 0 ? tone : ('warn' as const),
  };
}
