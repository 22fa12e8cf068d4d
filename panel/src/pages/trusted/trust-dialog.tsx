import { Alert, Button, NativeSelect, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { covers, parseIp } from '../../../../src/domain/ip.ts';
import { type TrustEnd, useTrust } from '../../api/trusted-ips.ts';
import type { TrustedIp } from '../../api/types.ts';
import { AddressField } from '../../parts/address-field.tsx';
import { Dialog, DialogButtons } from '../../parts/dialog.tsx';
import { changeTitle, ProblemAlert } from '../../parts/problem-alert.tsx';
import { toast } from '../../parts/toasts.tsx';
import { useSessionState } from '../../session/session.ts';
import { runtimeWords } from '../blocked/runtime-words.ts';
import { useTrustAsItWas } from './removal.ts';
import { trustDurations, trustEnd, trustedUntil } from './trust-duration.ts';

export interface TrustDialogProps {
  /** Whose note and duration are to be changed; null: a new one. */
  readonly entry: TrustedIp | null;
  readonly trusted: readonly TrustedIp[];
  readonly onClose: () => void;
}

/** Larger than these, trust is hardly meant. */
const widest = { 4: 16, 6: 32 } as const;

export function TrustDialog({ entry, trusted, onClose }: TrustDialogProps) {
  const { info } = useSessionState();
  const trust = useTrust();
  const putBack = useTrustAsItWas();
  const [address, setAddress] = useState(entry?.ip_address ?? '');
  const [note, setNote] = useState(entry?.note ?? '');
  const [chosen, setDuration] = useState<string | null>(null);
  const parse = parseIp(address.trim());
  // What is trusted already keeps what nobody says anything else of.
  const there = entry ?? (parse.ok ? trusted.find(({ ip_address }) => ip_address === parse.entry.text) : null) ?? null;
  const duration = chosen ?? (there === null ? 'permanent' : 'keep');
  const own = info?.trustable_address ?? null;

  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!parse.ok) return;
    const words = note.trim();
    trust.mutate(
      {
        ip: parse.entry.text,
        ...(entry === null && there !== null && words === '' ? {} : { note: words === '' ? null : words }),
        end: endOf(there, duration),
      },
      {
        onSuccess: (answer) => {
          toast({
            title:
              there === null
                ? `${answer.ip_address} is trusted${trustedUntil(answer.expires_at)}`
                : `${answer.ip_address} is changed: trusted${trustedUntil(answer.expires_at)}`,
            ...runtimeWords(answer),
            about: answer.ip_address,
            ...(there === null ? {} : { action: { label: 'Undo', run: () => void putBack(there) } }),
          });
          onClose();
        },
      },
    );
  };

  const shown = address.trim();
  const warning = entry === null && parse.ok ? warningOf(parse.entry, trusted) : null;
  return (
    <Dialog title={entry === null ? 'Trust an address' : `Change ${entry.ip_address}`} onClose={onClose}>
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
              Use {own}, from where you use this page
            </Button>
          )}
          <TextInput
            label="Note"
            description="Whose it is, and why. The next person will want to know."
            value={note}
            maxLength={500}
            onChange={(event) => setNote(event.currentTarget.value)}
            autoComplete="off"
            {...(entry === null ? {} : { 'data-autofocus': true })}
          />
          {there?.expires_at !== null && (
            <NativeSelect
              label="Duration"
              value={duration}
              onChange={(event) => setDuration(event.currentTarget.value)}
              data={[...trustDurations(there?.expires_at)]}
            />
          )}
          {warning !== null && (
            <Alert color="orange" variant="light" title="Look twice">
              {warning}
            </Alert>
          )}
          {trust.error !== null && (
            <ProblemAlert title={changeTitle(trust.error, 'It was not saved')} error={trust.error} />
          )}
          <DialogButtons onCancel={onClose}>
            <Button type="submit" disabled={!parse.ok} loading={trust.isPending}>
              {entry === null ? 'Trust it' : 'Save'}
            </Button>
          </DialogButtons>
        </Stack>
      </form>
    </Dialog>
  );
}

/** Saving the note of a permanent entry says nothing of its end, which may have changed meanwhile. */
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
    if (text === entry.text) return `${text} is trusted already${noted(note)}; what you leave as it is here stays.`;
    if (covers(other.entry, entry)) return `${text} is trusted already and covers it, so it changes nothing now.`;
  }
  if (entry.prefix < widest[entry.family]) return `${entry.text} is very much: nobody in it can be blocked.`;
  return null;
}

function noted(note: string | null): string {
  return note === null ? '' : ` (${note})`;
}
