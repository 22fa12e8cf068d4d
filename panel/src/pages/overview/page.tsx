import './overview.css';
import { Anchor, SimpleGrid, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useHealth } from '../../api/health.ts';
import type { Health } from '../../api/types.ts';
import { staleAfterMs } from '../../app/enforcement.ts';
import { Age, useNow } from '../../parts/age.tsx';
import { PageFrame } from '../../parts/page-frame.tsx';
import { sentence } from '../../parts/problem-alert.tsx';
import { StateMark, type Tone } from '../../parts/state-mark.tsx';
import { useMay } from '../../session/session.ts';
import { type HealthPart, partsOf } from './parts-of-health.ts';
import { Traffic } from './traffic.tsx';
import { Verdict } from './verdict.tsx';

export default function OverviewPage() {
  const { data: health, dataUpdatedAt } = useHealth();
  const stale = useNow() - dataUpdatedAt > staleAfterMs;
  return (
    <PageFrame title="Overview">
      <Verdict />
      {health !== undefined && (
        <SimpleGrid cols={{ base: 1, xs: 2, lg: 4 }} spacing="sm">
          {partsOf(health).map((part) => (
            <PartCard key={part.name} part={stale ? asItWas(part) : part} />
          ))}
          <VerifiedCard health={health} />
          <ReloadCard health={health} stale={stale} />
        </SimpleGrid>
      )}
      <Traffic />
    </PageFrame>
  );
}

/** What was true is not green any more. */
function asItWas({ name, words }: HealthPart): HealthPart {
  return { name, tone: 'unknown', words: `Not known now. Last: ${words}` };
}

function PartCard({ part: { name, tone, words } }: { readonly part: HealthPart }) {
  return (
    <section className="card" aria-label={name}>
      <Text size="xs" c="dimmed" fw={600} mb={4}>
        {name}
      </Text>
      <StateMark tone={tone}>{sentence(words)}</StateMark>
    </section>
  );
}

function VerifiedCard({ health: { runtime_map: map } }: { readonly health: Health }) {
  return (
    <section className="card" aria-label="Last compared">
      <Text size="xs" c="dimmed" fw={600} mb={4}>
        Last compared, entry by entry
      </Text>
      {map.last_verified_at === null ? (
        <StateMark tone="unknown">Not since the service started.</StateMark>
      ) : (
        <Text size="sm">
          <Age time={map.last_verified_at} />
        </Text>
      )}
    </section>
  );
}

const reloadWords: Readonly<Record<string, { readonly tone: Tone; readonly words: string }>> = {
  completed: { tone: 'good', words: 'It was taken' },
  refused: { tone: 'warn', words: 'The configuration was refused; the one before runs on' },
  failed: { tone: 'bad', words: 'It was not confirmed and was rolled back' },
};

function ReloadCard({ health, stale }: { readonly health: Health; readonly stale: boolean }) {
  const { last_reload: last, scheduled_reload: scheduled } = health;
  const admin = useMay('admin');
  return (
    <section className="card" aria-label="Last reload">
      <Text size="xs" c="dimmed" fw={600} mb={4}>
        Last reload
      </Text>
      <Stack gap={4}>
        {last === null ? (
          <Text size="sm">None since the service started.</Text>
        ) : (
          <StateMark tone={stale ? 'unknown' : (reloadWords[last.status]?.tone ?? 'unknown')}>
            {reloadWords[last.status]?.words ?? last.status}, <Age time={last.finished_at} />.
          </StateMark>
        )}
        {last?.error != null && (
          <Text size="sm" className="wrap-anywhere">
            {sentence(last.error)}
          </Text>
        )}
        {scheduled !== null && (
          <StateMark tone="warn">
            One follows by itself, tried {scheduled.attempts} {scheduled.attempts === 1 ? 'time' : 'times'}:{' '}
            {scheduled.reasons[0]}
          </StateMark>
        )}
        {admin && (
          <Anchor size="sm" renderRoot={(props) => <Link to="/configuration" {...props} />}>
            Configuration and history
          </Anchor>
        )}
      </Stack>
    </section>
  );
}
