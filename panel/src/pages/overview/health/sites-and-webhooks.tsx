import { Anchor, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { PanelPage } from '../../../../../src/http/panel-pages.ts';
import { useAttached } from '../../../api/health.ts';
import { useAllServerStates, useSites } from '../../../api/sites.ts';
import { useWebhooks } from '../../../api/webhooks.ts';
import { StateMark } from '../../../parts/state-mark.tsx';
import { useAllowed } from '../../../session/session.ts';
import { sitesWords, webhooksWords } from './sites-and-webhooks-words.ts';

/** Limit of sites: each is a query of HAProxy. */
const maxQueried = 30;

interface PartProps {
  readonly stale: boolean;
  readonly part: (name: string, children: ReactNode) => ReactNode;
}

export function SitesPart(props: PartProps) {
  return useAttached() === null ? <Sites {...props} /> : null;
}

function Sites({ stale, part }: PartProps) {
  const sites = useSites();
  const answering = (sites.data?.items ?? []).filter(({ enabled, servers }) => enabled && servers.length > 0);
  const domains = answering.map(({ domain }) => domain);
  const states = useAllServerStates(domains.slice(0, maxQueried));
  if (domains.length === 0) return null;
  const { tone, words } = sitesWords(domains.length, states);
  return part('Sites', <Line tone={stale ? 'unknown' : tone} words={words} to="/sites" link="Show sites" />);
}

export function WebhooksPart(props: PartProps) {
  return useAllowed('admin') ? <Webhooks {...props} /> : null;
}

function Webhooks({ stale, part }: PartProps) {
  const hooks = useWebhooks(15_000).data ?? [];
  if (hooks.length === 0) return null;
  const { tone, words } = webhooksWords(hooks);
  return part('Webhooks', <Line tone={stale ? 'unknown' : tone} words={words} to="/webhooks" link="Show webhooks" />);
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
