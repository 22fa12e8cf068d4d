import { Alert, Button, Checkbox, List, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { type FormEvent, useEffect, useState } from 'react';
import { isProblem, problemCodes } from '../../../../../src/client/problem-codes.ts';
import { parseIp } from '../../../../../src/domain/ip.ts';
import { block, useBlockedChange, useExistingEntry } from '../../../api/blocked-ips.ts';
import { useCheck } from '../../../api/check.ts';
import { useTrusted } from '../../../api/trusted-ips.ts';
import type { BlockedIp } from '../../../api/types.ts';
import { AddressField } from '../../../parts/address-field.tsx';
import { Dialog, DialogButtons } from '../../../parts/dialog.tsx';
import { changeTitle, ProblemAlert } from '../../../parts/problem-alert.tsx';
import { toast } from '../../../parts/toasts.tsx';
import { useMay, useSession, useSessionState } from '../../../session/session.ts';
import { useUndoBlock } from '../removal.ts';
import { blockRequest, type Intent } from './block-request.ts';
import { blockWords } from './block-words.ts';
import { concernsOf, trustedEntries } from './concerns.ts';
import { asItWas, type Duration, DurationField, forGood, readDuration } from './duration-field.tsx';
import { ExistingEntry } from './existing-entry.tsx';

export interface BlockDialogProps {
  /** What is blocked already and is to be changed; null: a new one. */
  readonly entry: BlockedIp | null;
  /** What a new one begins with. */
  readonly address?: string;
  readonly onClose: () => void;
}

/** How long nobody types before the address is looked up; milliseconds. */
const typingMs = 200;

const actions: Readonly<Record<Intent, string>> = {
  new: 'Block',
  extend: 'Extend',
  replace: 'Replace',
  change: 'Save',
};

export function BlockDialog({ entry, address: given = '', onClose }: BlockDialogProps) {
  const { clock } = useSession();
  const { info } = useSessionState();
  const admin = useMay('admin');
  const trusted = useTrusted();
  const [address, setAddress] = useState(entry?.ip_address ?? given);
  const [reason, setReason] = useState(entry?.reason ?? '');
  // Whoever mends a reason does not mean to block for longer.
  const ends = entry?.expires_at ?? null;
  const [duration, setDuration] = useState<Duration>(ends === null ? forGood : asItWas);
  const [chosen, setChosen] = useState<'extend' | 'replace'>('extend');
  const [understood, setUnderstood] = useState(false);
  const [allowWide, setAllowWide] = useState(false);
  const change = useBlockedChange(block);
  const undo = useUndoBlock();

  const parse = parseIp(address.trim());
  const ip = entry === null && parse.ok ? parse.entry.text : null;
  const [settled] = useDebouncedValue(ip, typingMs);
  const lookUp = useExistingEntry(settled);
  const cover = useCheck(settled);
  const looked = entry !== null || (settled === ip && lookUp.data !== undefined);
  const existing = entry ?? (settled === ip ? (lookUp.data ?? null) : null);
  const intent: Intent = entry !== null ? 'change' : existing === null ? 'new' : chosen;
  const covering = looked && cover.data?.verdict === 'blocked' && cover.data.by !== ip ? cover.data.by : null;
  const concerns = parse.ok
    ? concernsOf(parse.entry, {
        trusted: trustedEntries(trusted.data?.items ?? []),
        clientAddress: info?.client_address ?? null,
      })
    : [];
  const overTrust = concerns.some(({ kind }) => kind === 'trusted');
  const tooWide = isProblem(change.error, problemCodes.wideNetwork);
  const seconds = readDuration(duration);
  const complete =
    parse.ok &&
    (typeof seconds !== 'object' || seconds === null) &&
    (concerns.length === 0 || understood) &&
    (!overTrust || admin);
  const ready = complete && looked;

  // Enter right after the last character: what is new is blocked as soon as that is known; what is there is shown first.
  const [waiting, setWaiting] = useState(false);
  useEffect(() => {
    if (!waiting || (!looked && !lookUp.isError)) return;
    setWaiting(false);
    if (looked && existing === null) send();
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (ready) send();
    else if (complete) setWaiting(true);
  };
  const send = (): void => {
    if (!ready || !parse.ok || (typeof seconds === 'object' && seconds !== null)) return;
    const by = info?.name ?? null;
    const draft = { ip: parse.entry.text, intent, existing, reason, duration, seconds, by, now: clock.now() };
    const request = {
      ...blockRequest(draft),
      ...(overTrust ? { force: true } : {}),
      ...(allowWide ? { allow_wide: true } : {}),
    };
    change.mutate(request, {
      onSuccess: ({ answer, created }) => {
        const back = created ? { label: 'Undo', run: () => undo(answer.ip_address, null) } : undefined;
        const before = existing === null ? undefined : { label: 'Undo', run: () => undo(answer.ip_address, existing) };
        const action = back ?? before;
        const meanwhile = !created && existing === null;
        toast({
          ...blockWords(answer),
          ...(meanwhile ? blockedMeanwhile(answer.ip_address) : {}),
          about: answer.ip_address,
          ...(action === undefined ? {} : { action }),
        });
        onClose();
      },
    });
  };

  return (
    <Dialog title={entry === null ? 'Block an address' : `Change ${entry.ip_address}`} size={730} onClose={onClose}>
      <form onSubmit={submit}>
        <Stack gap="md">
          {entry === null && (
            <AddressField
              placeholder="192.0.2.1, 192.0.2.0/24 or 2001:db8::/32"
              value={address}
              onChange={(text) => {
                setAddress(text);
                setUnderstood(false);
                setChosen('extend');
                setAllowWide(false);
                setWaiting(false);
                change.reset();
              }}
            />
          )}
          {entry === null && existing !== null && (
            <ExistingEntry entry={existing} intent={intent} onIntent={setChosen} />
          )}
          {existing === null && covering !== null && (
            <Text size="sm" c="dimmed" role="status">
              {covering} is blocked and covers it already. This adds an entry of its own.
            </Text>
          )}
          {lookUp.isError && (
            <ProblemAlert
              title="Whether it is blocked already could not be looked up"
              error={lookUp.error}
              onRetry={() => void lookUp.refetch()}
            />
          )}
          <TextInput
            label="Reason"
            description="What the next person should know."
            placeholder={intent === 'extend' ? (existing?.reason ?? '') : ''}
            value={reason}
            maxLength={500}
            autoComplete="off"
            onChange={(event) => setReason(event.currentTarget.value)}
          />
          <DurationField
            value={duration}
            onChange={setDuration}
            label={intent === 'new' ? 'For how long' : 'For how long from now'}
            keeps={ends !== null}
          />
          {concerns.length > 0 && (
            <Alert color="orange" variant="light" title="Look twice">
              <List size="sm" mb="xs">
                {concerns.map(({ kind, words }) => (
                  <List.Item key={kind}>{words}</List.Item>
                ))}
              </List>
              {overTrust && !admin ? (
                'Your key may not block what is trusted.'
              ) : (
                <Checkbox
                  label="I mean it"
                  checked={understood}
                  onChange={(event) => setUnderstood(event.currentTarget.checked)}
                />
              )}
            </Alert>
          )}
          {trusted.isError && (
            <ProblemAlert title="Whether it is trusted could not be looked up" error={trusted.error} />
          )}
          {change.isError && (
            <ProblemAlert title={changeTitle(change.error, 'It was not blocked')} error={change.error}>
              {tooWide && admin && (
                <Checkbox
                  mt="xs"
                  label="Block this wide network all the same"
                  checked={allowWide}
                  onChange={(event) => setAllowWide(event.currentTarget.checked)}
                />
              )}
            </ProblemAlert>
          )}
          <DialogButtons onCancel={onClose}>
            <Button type="submit" disabled={!complete || lookUp.isError} loading={change.isPending || waiting}>
              {actions[intent]}
            </Button>
          </DialogButtons>
        </Stack>
      </form>
    </Dialog>
  );
}

/** Between the look-up and the block; what was there is not known any more. */
function blockedMeanwhile(ip: string) {
  const words = 'Somebody blocked it meanwhile; the reason, author and end of that block are replaced by yours.';
  return { title: `${ip} was blocked already`, words, tone: 'warn' as const };
}
