import { Alert, Button, Checkbox, Group, List, Modal, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { parseIp } from '../../../../../src/domain/ip.ts';
import { block, useBlockedChange } from '../../../api/blocked-ips.ts';
import { useTrusted } from '../../../api/trusted-ips.ts';
import type { BlockedIp } from '../../../api/types.ts';
import { changeTitle, ProblemAlert, sentence } from '../../../parts/problem-alert.tsx';
import { toast } from '../../../parts/toasts.tsx';
import { useFocusReturn } from '../../../parts/use-focus-return.ts';
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
  useFocusReturn();
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
    <Modal
      opened
      onClose={onClose}
      title={entry === null ? 'Block an address' : `Change ${entry.ip_address}`}
      size={730}
    >
      <form onSubmit={submit}>
        <Stack gap="md">
          {entry === null && (
            <TextInput
              label="Address or network"
              placeholder="192.0.2.1, 192.0.2.0/24 or 2001:db8::/32"
              className="mono-input"
              value={address}
              data-autofocus
              required
              withAsterisk={false}
              autoComplete="off"
              spellCheck={false}
              error={address.trim() === '' || parse.ok ? null : sentence(parse.why)}
              onChange={(event) => {
                setAddress(event.currentTarget.value);
                setUnderstood(false);
              }}
            />
          )}
          {!parse.ok && parse.meant !== undefined && (
            <Button
              variant="default"
              size="compact-sm"
              w="fit-content"
              onClick={() => setAddress(parse.meant?.text ?? address)}
            >
              Use {parse.meant.text}
            </Button>
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
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" disabled={!ready} loading={change.isPending}>
              {entry === null ? 'Block' : 'Save'}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

/** `expires_at` is taken as it is given, so that a shorter time than before holds too. */
function endOf(seconds: ReturnType<typeof readDuration>): string | null {
  return typeof seconds === 'number' ? new Date(Date.now() + seconds * 1_000).toISOString() : null;
}
