import { Alert, Anchor, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useAttacks } from '../../api/insight.ts';
import type { Attack } from '../../api/types.ts';
import { momentText, SpanSince } from '../../parts/age.tsx';
import { count, percent } from '../../parts/figures.ts';

/** An attack that continues. */
export function AttackLine({ id, since }: { readonly id: number; readonly since: string }) {
  const attack = useAttacks(true).data?.find((one) => one.id === id);
  return (
    <Alert color="yellow" variant="light" py="xs" title={null} role="status">
      <Text size="sm">
        <b title={momentText(since)}>
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
