import { Group, VisuallyHidden } from '@mantine/core';
import { useEffect } from 'react';
import { useHealth } from '../../api/health.ts';
import { isStale } from '../../app/enforcement.ts';
import { RangeField, useRange } from '../../charts/range-field.tsx';
import { useNow } from '../../parts/age.tsx';
import { useWhileVisible } from '../../parts/use-while-visible.ts';
import { useSessionState } from '../../session/session.ts';
import { DriftBanner } from '../configuration/drift/drift-banner.tsx';
import { UnusedTrust } from '../trusted/unused-trust.tsx';
import { CurrentAttack } from './attack-line.tsx';
import { HealthParts } from './health/health-parts.tsx';
import { InsightPart } from './insight-part.tsx';
import classes from './overview.module.css';
import { FirstSteps } from './start/first-steps.tsx';
import { Verdict } from './verdict.tsx';

export default function OverviewPage() {
  const { data: health, dataUpdatedAt } = useHealth();
  const reachable = useSessionState().unreachableSince === null;
  const stale = isStale(useNow() - dataUpdatedAt, reachable);
  // In a hidden tab all data is stale soon, and the parts have requests of their own.
  const showsParts = useWhileVisible(health !== undefined && (stale || health.status !== 'ok'));
  const [range, setRange] = useRange();
  useEffect(() => {
    document.title = 'Overview · proxy-manager';
  }, []);
  return (
    <div className={classes.page}>
      <VisuallyHidden>
        <h1>Overview</h1>
      </VisuallyHidden>
      <Group justify="space-between" align="flex-start" gap="sm">
        <Verdict />
        <RangeField range={range} onChange={setRange} />
      </Group>
      <DriftBanner />
      <UnusedTrust />
      {health !== undefined && showsParts && <HealthParts health={health} stale={stale} />}
      <CurrentAttack range={range} />
      <FirstSteps />
      <InsightPart range={range} />
    </div>
  );
}
