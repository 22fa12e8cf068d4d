import { Anchor, Group } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useSiteCertificate } from '../../api/certificates.ts';
import { useServiceNow } from '../../parts/age.tsx';
import { LockIcon } from '../../parts/icons.tsx';
import { StateMark } from '../../parts/state-mark.tsx';
import { lockWords } from './lock-words.ts';

interface SiteLockProps {
  readonly domain: string;
  readonly visible: boolean;
}

/** The certificate that clients of a site get; nothing while that is not known, or if HAProxy serves no TLS. */
export function SiteLock({ domain, visible }: SiteLockProps) {
  const certificate = useSiteCertificate(domain, visible);
  const now = useServiceNow(60_000);
  if (certificate === undefined) return null;
  const { tone, words } = lockWords(certificate, now);
  return (
    <Group gap={4} wrap="nowrap" display="inline-flex">
      <LockIcon size={14} />
      <StateMark tone={tone}>
        <Anchor inherit renderRoot={(props) => <Link to="/certificates" search={{ q: domain }} {...props} />}>
          {words}
        </Anchor>
      </StateMark>
    </Group>
  );
}
