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
import { addressKind } from '../../../parts/address-kind.ts';
import { Dialog, DialogButtons } from '../../../parts/dialog.tsx';
import { changeTitle, ProblemAlert } from '../../../parts/problem-alert.tsx';
import { ownPart } from '../../../parts/source-words.ts';
import { toast } from '../../../parts/toasts.tsx';
import { useAllowed, useSession, useSessionState } from '../../../session/session.ts';
import { useUndoBlock } from '../removal.ts';
import { blockRequest, type Intent } from './block-request.ts';
import { blockWords } from './block-words.ts';
import { type Duration, DurationField, keepExpiry, permanent, readDuration } from './duration-field.tsx';
import { ExistingEntry } from './existing-entry.tsx';
import { cdnWarnings, exceptionsIn, trustedEntries, warningsFor } from './warnings.ts';

interface BlockDialogProps {
  /** The entry to edit; null: a new block. */
  readonly entry: BlockedIp | null;
  readonly address?: string;
  readonly onClose: () => void;
}

const typingMs = 200;

const actions: Readonly<Record<Exclude<Intent, 'new'>, string>> = {
  extend: 'Extend block',
  replace: 'Replace block',
  change: 'Save changes',
};

export function BlockDialog({ entry: shown, address: given = '', onClose }: BlockDialogProps) {
  const { clock } = useSession();
  const { info } = useSessionState();
  // What the entry shows may be the reason and the end of another source's claim.
  const entry = shown === null ? null : ownPart(shown, info?.source);
  const admin = useAllowed('admin');
  const trusted = useTrusted();
  const [address, setAddress] = useState(entry?.ip_address ?? given);
  const [reason, setReason] = useState(entry?.reason ?? '');
  // Editing the reason does not change the expiry.
  const ends = entry?.expires_at ?? null;
  const [duration, setDuration] = useState<Duration>(ends === null ? permanent : keepExpiry);
  const [chosen, setChosen] = useState<'extend' | 'replace'>('extend');
  const [understood, setUnderstood] = useState(false);
  const [allowWide, setAllowWide] = useState(false);
  const change = useBlockedChange(block);
  const undo = useUndoBlock();

  const parse = parseIp(address.trim());
  const ip = entry === null && parse.ok ? parse.entry.text : null;
  const [settled] = useDebouncedValue(ip, typingMs);
  const lookup = useExistingEntry(settled);
  const cover = useCheck(settled);
  const lookedUp = entry !== null || (settled === ip && lookup.data !== undefined);
  const existing = entry ?? (settled === ip ? (lookup.data ?? null) : null);
  const intent: Intent = entry !== null ? 'change' : existing === null ? 'new' : chosen;
  const covering = lookedUp && cover.data?.verdict === 'blocked' && cover.data.by !== ip ? cover.data.by : null;
  const upstream = (lookedUp && cover.data?.upstream) || null;
  const warnings = parse.ok
    ? [
        ...warningsFor(parse.entry, {
          trusted: trustedEntries(trusted.data?.items ?? []),
          exceptions: exceptionsIn(trusted.data?.items ?? []),
          clientAddress: info?.client_address ?? null,
        }),
        ...(upstream === null ? cdnWarnings(parse.entry) : []),
      ]
    : [];
  const overTrust = warnings.some(({ kind }) => kind === 'trusted');
  const tooWide = isProblem(change.error, problemCodes.wideNetwork);
  const seconds = readDuration(duration);
  const complete =
    parse.ok &&
    (typeof seconds !== 'object' || seconds === null) &&
    (warnings.length === 0 || understood) &&
    (!overTrust || admin);
  const ready = complete && lookedUp;

  // Enter before the lookup ends: a new address is blocked once it is known to be new; an existing entry is shown first.
  const [waiting, setWaiting] = useState(false);
  useEffect(() => {
    if (!waiting || (!lookedUp && !lookup.isError)) return;
    setWaiting(false);
    if (lookedUp && existing === null) send();
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
        const own = existing === null ? null : ownPart(existing, info?.source);
        const before = own === null ? undefined : { label: 'Undo', run: () => undo(answer.ip_address, own) };
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
    <Dialog title={entry === null ? 'Block an address' : `Edit ${entry.ip_address}`} size={770} onClose={onClose}>
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
              Already blocked by the entry {covering}. This adds another entry.
            </Text>
          )}
          {existing === null && upstream !== null && (
            <Text size="sm" role="status">
              {ip} belongs to the upstream {upstream}, which is always served: block the address of its client instead.
            </Text>
          )}
          {lookup.isError && (
            <ProblemAlert
              title="Could not check whether the address is already blocked"
              error={lookup.error}
              onRetry={() => void lookup.refetch()}
            />
          )}
          <TextInput
            label="Reason"
            description="Optional. Shown in the list and the audit log."
            placeholder={intent === 'extend' ? (existing?.reason ?? '') : ''}
            value={reason}
            maxLength={500}
            autoComplete="off"
            onChange={(event) => setReason(event.currentTarget.value)}
          />
          <DurationField
            value={duration}
            onChange={setDuration}
            label={intent === 'new' ? 'Duration' : 'Duration from now'}
            keeps={ends !== null}
          />
          {warnings.length > 0 && (
            <Alert color="orange" variant="light" title="Warning">
              <List size="sm" mb="xs">
                {warnings.map(({ kind, words }) => (
                  <List.Item key={kind}>{words}</List.Item>
                ))}
              </List>
              {overTrust && !admin ? (
                'Your key cannot block trusted addresses.'
              ) : (
                <Checkbox
                  label="Block anyway"
                  checked={understood}
                  onChange={(event) => setUnderstood(event.currentTarget.checked)}
                />
              )}
            </Alert>
          )}
          {trusted.isError && (
            <ProblemAlert title="Could not check whether the address is trusted" error={trusted.error} />
          )}
          {change.isError && (
            <ProblemAlert title={changeTitle(change.error, 'Could not block the address')} error={change.error}>
              {tooWide && admin && (
                <Checkbox
                  mt="xs"
                  label="Block this wide network anyway"
                  checked={allowWide}
                  onChange={(event) => setAllowWide(event.currentTarget.checked)}
                />
              )}
            </ProblemAlert>
          )}
          <DialogButtons onCancel={onClose}>
            <Button type="submit" disabled={!complete || lookup.isError} loading={change.isPending || waiting}>
              {intent === 'new' ? `Block ${parse.ok ? addressKind(parse.entry.text) : 'address'}` : actions[intent]}
            </Button>
          </DialogButtons>
        </Stack>
      </form>
    </Dialog>
  );
}

/** Another client blocked it between lookup and block, so its entry is unknown and cannot be restored. */
function blockedMeanwhile(ip: string) {
  const words = 'Another client blocked it in the meantime. Your reason, name and expiry replaced those of that block.';
  return { title: `${ip} was already blocked`, words, tone: 'warn' as const };
}
