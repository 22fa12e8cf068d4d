// What a person on call would want to know beside blocking: sites whose servers are down, webhooks that fail.
import { Anchor, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { PanelPage } from '../../../../src/http/panel-pages.ts';
import { useAttached } from '../../api/health.ts';
import { useAllServerStates, useSites } from '../../api/sites.ts';
import { useWebhooks } from '../../api/webhooks.ts';
import { StateMark } from '../../parts/state-mark.tsx';
import { useMay } from '../../session/session.ts';
import { sitesWords, webhooksWords } from './surroundings-words.ts';

/** More are not asked about: each is one request to the proxy. */
const mostAsked = 30;

export interface SurroundingsProps {
  /** What is shown may not be true any more. */
  readonly stale: boolean;
  readonly part: (name: string, children: ReactNode) => ReactNode;
}

export function SitesPart(props: SurroundingsProps) {
  return useAttached() === null ? <Sites {...props} /> : null;
}

function Sites({ stale, part }: SurroundingsProps) {
  const sites = useSites();
  const domains = (sites.data?.items ?? []).map(({ domain }) => domain);
  const states = useAllServerStates(domains.slice(0, mostAsked));
  if (domains.length === 0) return null;
  const { tone, words } = sitesWords(domains.length, states);
  return part('Sites', <Line tone={stale ? 'unknown' : tone} words={words} to="/sites" link="Sites" />);
}

export function WebhooksPart(props: SurroundingsProps) {
  return useMay('admin') ? <Webhooks {...props} /> : null;
}

function Webhooks({ stale, part }: SurroundingsProps) {
  const hooks = useWebhooks(15_000).data ?? [];
  if (hooks.length === 0) return null;
  const { tone, words } = webhooksWords(hooks);
  return part('Webhooks', <Line tone={stale ? 'unknown' : tone} words={words} to="/webhooks" link="Webhooks" />);
}

interface LineProps {
  readonly tone: Parameters<typeof StateMark>[0]['tone'];
  readonly words: string;
  readonly to: PanelPage;
  readonly link: string;
}

function Line({ tone, words, to, link }: LineProps) {
  return (
    <Text component="div" size="sm">
      <StateMark tone={tone}>{words}</StateMark>{' '}
      {(tone === 'bad' || tone === 'warn') && (
        <Anchor inherit renderRoot={(props) => <Link to={to} {...props} />}>
          {link}
        </Anchor>
      )}
    </Text>
  );
}
