import { Anchor, Group, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { counted } from '../../../../../src/domain/counted.ts';
import type { Health } from '../../../api/types.ts';
import { Age } from '../../../parts/age.tsx';
import { sentence } from '../../../parts/problem-alert.tsx';
import { StateMark, type Tone } from '../../../parts/state-mark.tsx';
import styles from '../../../parts/styles.module.css';
import { useAllowed } from '../../../session/session.ts';
import classes from './health.module.css';
import { asLastKnown, type HealthPart, partsOf } from './parts-of-health.ts';
import { SitesPart, WebhooksPart } from './sites-and-webhooks.tsx';

interface HealthPartsProps {
  readonly health: Health;
  readonly stale: boolean;
}

/** The state of each part. */
export function HealthParts({ health, stale }: HealthPartsProps) {
  return (
    <section className={`${styles.card} ${classes.parts}`} aria-label="Health by part">
      {partsOf(health).map((part) => (
        <Part key={part.name} name={part.name}>
          <PartState part={stale ? asLastKnown(part) : part} />
        </Part>
      ))}
      <Part name="Last full check">
        <LastFullCheck health={health} />
      </Part>
      <Part name="Last reload">
        <LastReload health={health} stale={stale} />
      </Part>
      <Part name="Versions">
        <Versions versions={health.versions} />
      </Part>
      <SitesPart stale={stale} part={asPart} />
      <WebhooksPart stale={stale} part={asPart} />
    </section>
  );
}
function Part({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <section className={classes.part} aria-label={name}>
      <Text size="sm" c="dimmed" fw={600}>
        {name}
      </Text>
      <div>{children}</div>
    </section>
  );
}

const asPart = (name: string, children: ReactNode) => <Part name={name}>{children}</Part>;

function PartState({ part: { tone, words } }: { readonly part: HealthPart }) {
  return <StateMark tone={tone}>{words}</StateMark>;
}

function Versions({ versions: { service, proxy, untested } }: Pick<Health, 'versions'>) {
  return (
    <Stack gap={4}>
      <Text size="sm" className={styles.wrap}>
        proxy-manager {service}, HAProxy {proxy}
      </Text>
      {untested !== null && <StateMark tone="warn">{sentence(untested)}</StateMark>}
    </Stack>
  );
}

function LastFullCheck({ health: { runtime_map: map } }: { readonly health: Health }) {
  if (map.last_verified_at === null) return <StateMark tone="unknown">Not since the service started</StateMark>;
  return (
    <Text size="sm">
      <Age time={map.last_verified_at} />
    </Text>
  );
}

const outcomes: Readonly<Record<string, { readonly tone: Tone; readonly words: string; readonly note: string }>> = {
  completed: { tone: 'good', words: 'Completed', note: '' },
  refused: { tone: 'warn', words: 'Refused', note: '; the live configuration is unchanged' },
  failed: { tone: 'bad', words: 'Failed', note: '' },
};

function LastReload({ health, stale }: { readonly health: Health; readonly stale: boolean }) {
  const { last_reload: last, scheduled_reload: scheduled } = health;
  const admin = useAllowed('admin');
  const outcome = outcomes[last?.status ?? ''];
  return (
    <Stack gap={4}>
      <Group gap="md">
        {last === null ? (
          <Text size="sm">None since the service started</Text>
        ) : (
          <StateMark tone={stale ? 'unknown' : (outcome?.tone ?? 'unknown')}>
            {outcome?.words ?? last.status} <Age time={last.finished_at} />
            {outcome?.note}
          </StateMark>
        )}
        {admin && (
          <Anchor size="sm" renderRoot={(props) => <Link to="/configuration" search={{ tab: 'history' }} {...props} />}>
            Show history
          </Anchor>
        )}
      </Group>
      {last?.error != null && (
        <Text size="sm" className={styles.wrap}>
          {sentence(last.error)}
        </Text>
      )}
      {scheduled !== null && (
        <StateMark tone={stale ? 'unknown' : 'warn'}>
          A reload is scheduled ({counted(scheduled.attempts, 'attempt')}): {scheduled.reasons[0]}
        </StateMark>
      )}
    </Stack>
  );
}
