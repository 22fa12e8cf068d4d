import { Alert, Anchor, Button, Group, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useAttacks, useInsight } from '../../api/insight.ts';
import type { Attack } from '../../api/types.ts';
import type { RangeName } from '../../charts/times.ts';
import { SpanSince, useNow } from '../../parts/age.tsx';
import { count, percent } from '../../parts/figures.ts';
import { momentTitle } from '../../parts/times.ts';

/** Until when this browser does not show the line of an attack. */
const HIDDEN = 'proxy-manager-attack-hidden';
const hiddenMs = 3_600_000;

/** The figures have it, which are requested anyway. @param range of the figures */
export function CurrentAttack({ range }: { readonly range: RangeName }) {
  const { data, error } = useInsight(range);
  const attack = data?.attack;
  // After a failed request, the figures of before stay: whether the attack continues is not known.
  return attack == null || error !== null ? null : <AttackLine id={attack.id} since={attack.started_at} />;
}

interface AttackLineProps {
  readonly id: number;
  readonly since: string;
}

/** An attack that continues. Hiding it is for an hour, for this attack and in this browser: it ends nothing. */
export function AttackLine({ id, since }: AttackLineProps) {
  const now = useNow(10_000);
  const [hidden, setHidden] = useState(() => localStorage.getItem(HIDDEN) ?? '');
  const left = hiddenUntil(hidden, id) - now;
  // More than it was hidden for: the clock of this browser was ahead.
  if (left > 0 && left <= hiddenMs) return null;
  const hide = (): void => {
    const text = `${id} ${now + hiddenMs}`;
    localStorage.setItem(HIDDEN, text);
    setHidden(text);
  };
  return <Shown id={id} since={since} onHide={hide} />;
}

/** 0: it is not hidden. @param stored the id of an attack and a time in milliseconds since 1970 */
function hiddenUntil(stored: string, id: number): number {
  const [of = '', until = ''] = stored.split(' ');
  return of === String(id) ? Number(until) || 0 : 0;
}

function Shown({ id, since, onHide }: AttackLineProps & { readonly onHide: () => void }) {
  const attack = useAttacks(true).data?.find((one) => one.id === id);
  return (
    <Alert color="yellow" variant="light" py="xs" title={null} role="status">
      <Group justify="space-between" gap="xs">
        <Text size="sm" flex="1 1 300px">
          <b title={momentTitle(since)}>
            Attack for <SpanSince time={since} />.
          </b>{' '}
          {attack !== undefined && attackWords(attack)} All of it gets 403.{' '}
          <Anchor
            inherit
            underline="always"
            renderRoot={(props) => <Link to="/denied" search={{ attack: String(id) }} {...props} />}
          >
            Show attack
          </Anchor>
        </Text>
        <Button size="compact-sm" variant="default" onClick={onHide}>
          Hide for 1 h
        </Button>
      </Group>
    </Alert>
  );
}

export function attackWords({ peak, usual, denied, top_sites: sites, top_networks: networks }: Attack): string {
  const [site, network] = [sites[0], networks[0]];
  const share = (part: number): string => percent(denied === 0 ? null : Math.min(1, part / denied));
  return [
    `Up to ${count(peak)} denied requests a minute, usual are ${count(usual)}`,
    ...(site === undefined ? [] : [`about ${share(site.denied)} of them at ${site.site}`]),
    ...(network === undefined ? [] : [`${share(network.denied)} from ${network.entry}`]),
  ]
    .join(', ')
    .concat('.');
}
