// What an unblock will do, before it happens: which claims it drops, who keeps the address blocked, and the way to allow
// it anyway.
import { Alert, Button, Group, SegmentedControl, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useExistingEntry } from '../../../api/blocked-ips.ts';
import type { BlockedIpDetail } from '../../../api/types.ts';
import { addressKind } from '../../../parts/address-kind.ts';
import { ClaimList } from '../../../parts/claim-list.tsx';
import { Dialog, DialogButtons } from '../../../parts/dialog.tsx';
import { Loading } from '../../../parts/loading.tsx';
import { changeTitle, ProblemAlert } from '../../../parts/problem-alert.tsx';
import { claimsOf, sourceNames, unblockEffect } from '../../../parts/source-words.ts';
import { useAllowed, useSessionState } from '../../../session/session.ts';
import { useUnblockWithClaims } from './unblock-with-claims.ts';

const times = [
  { value: '', label: 'Do not trust' },
  { value: '1d', label: '1 day' },
  { value: '7d', label: '7 days' },
  { value: '30d', label: '30 days' },
];

interface UnblockDialogProps {
  readonly ip: string;
  readonly onClose: () => void;
}

export function UnblockDialog({ ip, onClose }: UnblockDialogProps) {
  const found = useExistingEntry(ip);
  return (
    <Dialog title={`Unblock ${ip}`} onClose={onClose} size="lg">
      {found.data === undefined ? (
        found.error === null ? (
          <Loading what="Loading its claims" />
        ) : (
          <ProblemAlert title="Could not load its claims" error={found.error} onRetry={() => void found.refetch()} />
        )
      ) : found.data === null ? (
        <Stack gap="md">
          <Text size="sm">It is no longer blocked by an entry of its own.</Text>
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Close
            </Button>
          </Group>
        </Stack>
      ) : (
        <Effect entry={found.data} onClose={onClose} />
      )}
    </Dialog>
  );
}

function Effect({ entry, onClose }: { readonly entry: BlockedIpDetail; readonly onClose: () => void }) {
  const { info } = useSessionState();
  const admin = useAllowed('admin');
  const unblock = useUnblockWithClaims();
  const [trustFor, setTrustFor] = useState('');
  const { dropped, kept } = unblockEffect(claimsOf(entry), info?.source ?? null);
  const stays = [...(kept.length > 0 ? [sourceNames(kept)] : []), ...entry.covered_by].join(', ');
  const time = times.find(({ value }) => value === trustFor && value !== '')?.label;
  const nothing = dropped.length === 0 && time === undefined;

  return (
    <Stack gap="md">
      {dropped.length > 0 && (
        <section>
          <Text size="sm" fw={600}>
            {dropped.length === 1 ? 'This claim is dropped' : `These ${dropped.length} claims are dropped`}
          </Text>
          <ClaimList label="Dropped claims" claims={dropped} />
        </section>
      )}
      {kept.length > 0 && (
        <section>
          <Text size="sm" fw={600}>
            {kept.length === 1 ? 'This claim stays' : `These ${kept.length} claims stay`}
          </Text>
          <ClaimList label="Claims that stay" claims={kept} />
        </section>
      )}
      {admin && (
        <Stack gap={6} role="group" aria-labelledby="unblock-trust">
          <Text size="sm" fw={500} id="unblock-trust">
            Trust the {addressKind(entry.ip_address)}, so that nothing blocks it
          </Text>
          <SegmentedControl
            aria-labelledby="unblock-trust"
            data={times}
            value={trustFor}
            onChange={setTrustFor}
            size="xs"
            fullWidth
          />
        </Stack>
      )}
      <Alert color={stays !== '' && time === undefined ? 'orange' : 'blue'} variant="light" role="status">
        {resultWords(stays, time, { nothing: dropped.length === 0, admin })}
      </Alert>
      {unblock.error !== null && (
        <ProblemAlert title={changeTitle(unblock.error, 'The address was not unblocked')} error={unblock.error} />
      )}
      <DialogButtons onCancel={onClose} busy={unblock.isPending} cancelFirst>
        <Button
          {...(time === undefined ? { color: 'red' } : {})}
          disabled={nothing}
          loading={unblock.isPending}
          onClick={() => unblock.mutate({ ip: entry.ip_address, trustFor, dropped }, { onSuccess: onClose })}
        >
          {stays === ''
            ? `Unblock ${addressKind(entry.ip_address)}`
            : time === undefined
              ? 'Drop claims'
              : `Trust for ${time}`}
        </Button>
      </DialogButtons>
    </Stack>
  );
}

function resultWords(
  staysBy: string,
  time: string | undefined,
  { nothing, admin }: { readonly nothing: boolean; readonly admin: boolean },
): string {
  if (time !== undefined) return `Allowed for ${time}, unless you or an agent block it again.`;
  if (staysBy === '') return 'The address is no longer blocked. Another source may block it again.';
  const way = admin ? 'To allow it, trust it.' : 'An administrator can trust it for a time.';
  return nothing
    ? `You cannot drop a claim. It stays blocked by ${staysBy}. ${way}`
    : `It stays blocked by ${staysBy}. ${way}`;
}
