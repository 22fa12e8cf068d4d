import { Anchor, Group } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useSiteCertificate } from '../../../api/certificates.ts';
import { useServiceNow } from '../../../parts/age.tsx';
import { LockIcon } from '../../../parts/icons.tsx';
import { StateMark, type Tone } from '../../../parts/state-mark.tsx';
import { lockWords } from './lock-words.ts';

interface SiteLockProps {
  readonly domain: string;
  readonly visible: boolean;
  /** Whether HAProxy serves TLS; undefined: not known. */
  readonly enabled: boolean | undefined;
}

/** The certificate that clients of a site get, or that there is no TLS; nothing while that is not known. */
export function SiteLock({ domain, visible, enabled }: SiteLockProps) {
  const certificate = useSiteCertificate(domain, visible && enabled === true);
  const now = useServiceNow(60_000);
  // The page of certificates says how to switch it on.
  if (enabled === false) return <Lock tone="unknown" words="TLS is off" search={{}} />;
  if (enabled === undefined || certificate === undefined) return null;
  return <Lock {...lockWords(certificate, now)} search={{ q: domain }} />;
}

interface LockProps {
  readonly tone: Tone;
  readonly words: string;
  readonly search: { readonly q?: string };
}

function Lock({ tone, words, search }: LockProps) {
  return (
    <Group gap={4} wrap="nowrap" display="inline-flex">
      <LockIcon size={14} />
      <StateMark tone={tone}>
        <Anchor inherit renderRoot={(props) => <Link to="/certificates" search={search} {...props} />}>
          {words}
        </Anchor>
      </StateMark>
    </Group>
  );
}
