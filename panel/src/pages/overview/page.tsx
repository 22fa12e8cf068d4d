import { useHealth } from '../../api/health.ts';
import { isStale } from '../../app/enforcement.ts';
import { useNow } from '../../parts/age.tsx';
import { PageFrame } from '../../parts/page-frame.tsx';
import { useSessionState } from '../../session/session.ts';
import { DriftBanner } from '../configuration/drift/drift-banner.tsx';
import { UnusedTrust } from '../trusted/unused-trust.tsx';
import { HealthParts } from './health/health-parts.tsx';
import { Traffic } from './traffic.tsx';
import { Verdict } from './verdict.tsx';

export default function OverviewPage() {
  const { data: health, dataUpdatedAt } = useHealth();
  const reachable = useSessionState().unreachableSince === null;
  const stale = isStale(useNow() - dataUpdatedAt, reachable);
  return (
    <PageFrame title="Overview">
      <Verdict />
      <DriftBanner />
      <UnusedTrust />
      {health !== undefined && (stale || health.status !== 'ok') && <HealthParts health={health} stale={stale} />}
      <Traffic />
    </PageFrame>
  );
}
