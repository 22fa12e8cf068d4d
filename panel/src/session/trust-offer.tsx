// Administrators may trust their own address, so that a wrong block does not lock them out. `trustable_address` is null
// for shared addresses.
import { Button, Group, NativeSelect, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { covers, parseIp } from '../../../src/domain/ip.ts';
import { useHealth } from '../api/health.ts';
import { useTrust, useTrusted } from '../api/trusted-ips.ts';
import type { TrustedIp } from '../api/types.ts';
import { runtimeWords } from '../pages/blocked/runtime-words.ts';
import { trustDurations, trustEnd, trustedUntil } from '../pages/trusted/trust-duration.ts';
import { Dialog } from '../parts/dialog.tsx';
import { changeTitle, ProblemAlert } from '../parts/problem-alert.tsx';
import styles from '../parts/styles.module.css';
import { toast } from '../parts/toasts.tsx';
import { useAllowed, useSessionState } from './session.ts';

const DECLINED = 'proxy-manager-trust-offer-declined';
const workingDay = String(8 * 3_600);

export function TrustOffer() {
  const { info, justSignedIn } = useSessionState();
  const may = useAllowed('admin');
  const address = info?.trustable_address ?? null;
  if (!justSignedIn || !may || address === null || localStorage.getItem(DECLINED) !== null) return null;
  return <UnlessTrusted address={address} name={info?.name ?? ''} />;
}

function UnlessTrusted(props: { readonly address: string; readonly name: string }) {
  const trusted = useTrusted();
  const hasEffect = useHealth().data?.trusted_map.used === true;
  const [wanted, setWanted] = useState(true);
  const offered = wanted && hasEffect && trusted.data !== undefined && !isTrusted(props.address, trusted.data.items);
  return offered ? <Offer {...props} onDone={() => setWanted(false)} /> : null;
}

interface OfferProps {
  readonly address: string;
  readonly name: string;
  readonly onDone: () => void;
}

function Offer({ address, name, onDone }: OfferProps) {
  const trust = useTrust();
  const [duration, setDuration] = useState(workingDay);
  const decline = (): void => {
    localStorage.setItem(DECLINED, 'yes');
    onDone();
  };
  const accept = (): void => {
    const note = `signed in to the panel with the key ${name}`;
    trust.mutate(
      { ip: address, note, end: trustEnd(duration) },
      {
        onSuccess: (answer) => {
          toast({ title: `${address} is trusted${trustedUntil(answer.expires_at)}`, ...runtimeWords(answer) });
          onDone();
        },
      },
    );
  };
  return (
    <Dialog title="Trust your address?" onClose={onDone}>
      <Stack gap="md">
        <Text size="sm">
          You are using the panel from <b className={styles.mono}>{address}</b>. While this address is trusted, no block
          can lock you out of your sites. All clients that share it, as in an office or behind a VPN, are trusted too.
        </Text>
        <NativeSelect
          label="Duration"
          value={duration}
          onChange={(event) => setDuration(event.currentTarget.value)}
          data={trustDurations().filter(({ value }) => value !== 'permanent')}
        />
        {trust.error !== null && (
          <ProblemAlert title={changeTitle(trust.error, 'Could not trust the address')} error={trust.error} />
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={decline}>
            Don’t ask again
          </Button>
          <Button onClick={accept} loading={trust.isPending}>
            Trust {address}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}

function isTrusted(address: string, trusted: readonly TrustedIp[]): boolean {
  const own = parseIp(address);
  return trusted.some(({ ip_address: text }) => {
    const entry = parseIp(text);
    return own.ok && entry.ok && covers(entry.entry, own.entry);
  });
}
