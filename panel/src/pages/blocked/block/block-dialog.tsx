import { Alert, Button, Checkbox, List, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { parseIp } from '../../../../../src/domain/ip.ts';
import { block, useBlockedChange } from '../../../api/blocked-ips.ts';
import { useTrusted } from '../../../api/trusted-ips.ts';
import type { BlockedIp } from '../../../api/types.ts';
import { AddressField } from '../../../parts/address-field.tsx';
import { Dialog, DialogButtons } from '../../../parts/dialog.tsx';
import { changeTitle, ProblemAlert } from '../../../parts/problem-alert.tsx';
import { toast } from '../../../parts/toasts.tsx';
import { useMay, useSessionState } from '../../../session/session.ts';
import { blockWords } from './block-words.ts';
import { concernsOf } from './concerns.ts';
import { asItWas, type Duration, DurationField, forGood, readDuration } from './duration-field.tsx';

export interface BlockDialogProps {
  /** What is blocked already and is to be changed; null: a new one. */
  readonly entry: BlockedIp | null;
  /** What a new one begins with. */
  readonly address?: string;
  readonly onClose: () => void;
}

export function BlockDialog({ entry, address: given = '', onClose }: BlockDialogProps) {
  const { info } = useSessionState();
  const admin = useMay('admin');
  const trusted = useTrusted();
  const [address, setAddress] = useState(entry?.ip_address ?? given);
  const [reason, setReason] = useState(entry?.reason ?? '');
  // Whoever mends a reason does not mean to block for longer.
  const ends = entry?.expires_at ?? null;
  const [duration, setDuration] = useState<Duration>(ends === null ? forGood : asItWas);
  const [understood, setUnderstood] = useState(false);
  const change = useBlockedChange(block);

  const parse = parseIp(address.trim());
  const concerns = parse.ok
    ? concernsOf(parse.entry, {
        trusted: trusted.data?.items.map(({ ip_address }) => ip_address) ?? [],
        clientAddress: info?.client_address ?? null,
      })
    : [];
  const overTrust = concerns.some(({ kind }) => kind === 'trusted');
  const seconds = readDuration(duration);
  const ready =
    parse.ok &&
    (typeof seconds !== 'object' || seconds === null) &&
    (concerns.length === 0 || understood) &&
    (!overTrust || admin);

  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!ready || !parse.ok) return;
    const request = {
      ip_address: parse.entry.text,
      reason: reason.trim() === '' ? null : reason.trim(),
      ...(entry === null && info !== null ? { blocked_by: info.name } : {}),
      expires_at: duration.choice === 'keep' ? ends : endOf(seconds),
      ...(overTrust ? { force: true } : {}),
    };
    change.mutate(request, {
      onSuccess: (answer) => {
        toast(blockWords(answer));
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
              }}
            />
          )}
          <TextInput
            label="Reason"
            description="What the next person should know."
            value={reason}
            maxLength={500}
            autoComplete="off"
            onChange={(event) => setReason(event.currentTarget.value)}
          />
          <DurationField
            value={duration}
            onChange={setDuration}
            label={entry === null ? 'For how long' : 'For how long from now'}
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
            <ProblemAlert title={changeTitle(change.error, 'It was not blocked')} error={change.error} />
          )}
          <DialogButtons onCancel={onClose}>
            <Button type="submit" disabled={!ready} loading={change.isPending}>
              {entry === null ? 'Block' : 'Save'}
            </Button>
          </DialogButtons>
        </Stack>
      </form>
    </Dialog>
  );
}

/** `expires_at` is taken as it is given, so that a shorter time than before holds too. */
function endOf(seconds: ReturnType<typeof readDuration>): string | null {
  return typeof seconds === 'number' ? new Date(Date.now() + seconds * 1_000).toISOString() : null;
}
