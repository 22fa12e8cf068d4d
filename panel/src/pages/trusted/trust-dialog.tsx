import { Alert, Button, NativeSelect, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { covers, parseIp } from '../../../../src/domain/ip.ts';
import { type TrustEnd, useTrust } from '../../api/trusted-ips.ts';
import type { TrustedIp } from '../../api/types.ts';
import { AddressField } from '../../parts/address-field.tsx';
import { addressKind } from '../../parts/address-kind.ts';
import { Dialog, DialogButtons } from '../../parts/dialog.tsx';
import { changeTitle, ProblemAlert } from '../../parts/problem-alert.tsx';
import { toast } from '../../parts/toasts.tsx';
import { useSessionState } from '../../session/session.ts';
import { runtimeWords } from '../blocked/runtime-words.ts';
import { useTrustRestore } from './removal.ts';
import { trustDurations, trustEnd, trustedUntil } from './trust-duration.ts';

interface TrustDialogProps {
  /** The entry to edit; null: a new one. */
  readonly entry: TrustedIp | null;
  /** Of a new entry. */
  readonly address?: string;
  readonly trusted: readonly TrustedIp[];
  readonly onClose: () => void;
}

const warningPrefix = { 4: 16, 6: 32 } as const;

export function TrustDialog({ entry, address: given = '', trusted, onClose }: TrustDialogProps) {
  const { info } = useSessionState();
  const trust = useTrust();
  const restore = useTrustRestore();
  const [address, setAddress] = useState(entry?.ip_address ?? given);
  const [note, setNote] = useState(entry?.note ?? '');
  const [chosen, setDuration] = useState<string | null>(null);
  const parse = parseIp(address.trim());
  // An entry that exists keeps the fields that are not changed here.
  const existing =
    entry ?? (parse.ok ? trusted.find(({ ip_address }) => ip_address === parse.entry.text) : null) ?? null;
  const duration = chosen ?? (existing === null ? 'permanent' : 'keep');
  const own = info?.trustable_address ?? null;

  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!parse.ok) return;
    const words = note.trim();
    trust.mutate(
      {
        ip: parse.entry.text,
        ...(entry === null && existing !== null && words === '' ? {} : { note: words === '' ? null : words }),
        end: endOf(existing, duration),
      },
      {
        onSuccess: (answer) => {
          toast({
            title:
              existing === null
                ? `${answer.ip_address} is trusted${trustedUntil(answer.expires_at)}`
                : `${answer.ip_address} changed: trusted${trustedUntil(answer.expires_at)}`,
            ...runtimeWords(answer),
            about: answer.ip_address,
            ...(existing === null ? {} : { action: { label: 'Undo', run: () => void restore(existing) } }),
          });
          onClose();
        },
      },
    );
  };

  const shown = address.trim();
  const warning = entry === null && parse.ok ? warningOf(parse.entry, trusted) : null;
  return (
    <Dialog title={entry === null ? 'Trust an address' : `Edit ${entry.ip_address}`} onClose={onClose}>
      <form onSubmit={submit}>
        <Stack gap="md">
          {entry === null && (
            <AddressField
              placeholder="192.0.2.10, 192.0.2.0/24 or 2001:db8::/48"
              value={address}
              onChange={setAddress}
            />
          )}
          {entry === null && own !== null && shown === '' && (
            <Button variant="default" size="compact-sm" w="fit-content" onClick={() => setAddress(own)}>
              Use my address ({own})
            </Button>
          )}
          <TextInput
            label="Note"
            description="For example: office, monitoring."
            value={note}
            maxLength={500}
            onChange={(event) => setNote(event.currentTarget.value)}
            autoComplete="off"
            {...(entry === null ? {} : { 'data-autofocus': true })}
          />
          {existing?.expires_at !== null && (
            <NativeSelect
              label="Duration"
              value={duration}
              onChange={(event) => setDuration(event.currentTarget.value)}
              data={[...trustDurations(existing?.expires_at)]}
            />
          )}
          {warning !== null && (
            <Alert color="orange" variant="light" title="Warning">
              {warning}
            </Alert>
          )}
          {trust.error !== null && (
            <ProblemAlert title={changeTitle(trust.error, 'Could not save the entry')} error={trust.error} />
          )}
          <DialogButtons onCancel={onClose}>
            <Button type="submit" disabled={!parse.ok} loading={trust.isPending}>
              {entry === null ? `Trust ${parse.ok ? addressKind(parse.entry.text) : 'address'}` : 'Save changes'}
            </Button>
          </DialogButtons>
        </Stack>
      </form>
    </Dialog>
  );
}

/** Editing a permanent entry sends no expiry, which another client may have changed meanwhile. */
function endOf(entry: TrustedIp | null, duration: string): TrustEnd {
  return entry !== null && entry.expires_at === null ? {} : trustEnd(duration);
}

function warningOf(
  entry: Extract<ReturnType<typeof parseIp>, { ok: true }>['entry'],
  trusted: readonly TrustedIp[],
): string | null {
  for (const { ip_address: text, note } of trusted) {
    const other = parseIp(text);
    if (!other.ok) continue;
    if (text === entry.text)
      return `${text} is already trusted${noted(note)}. Fields that you leave unchanged are kept.`;
    if (covers(other.entry, entry)) return `Trusted ${text} already covers it, so this changes nothing now.`;
  }
  if (entry.prefix < warningPrefix[entry.family])
    return `${entry.text} is a wide network. Nothing inside it can be blocked.`;
  return null;
}

function noted(note: string | null): string {
  return note === null ? '' : ` (${note})`;
}
