import { ActionIcon, Group, Text, VisuallyHidden } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import { useHealth } from '../api/health.ts';
import { useNow } from '../parts/age.tsx';
import styles from '../parts/styles.module.css';
import { useSessionState } from '../session/session.ts';
import { enforcement } from './enforcement.ts';
import classes from './shell.module.css';

const HealthDrawer = lazy(() => import('../pages/overview/health/health-drawer.tsx'));

/** The page's title beside the state of blocking, which leads to the health of each part. */
export function HealthMark({ title }: { readonly title: string }) {
  const health = useHealth();
  const now = useNow();
  const [opened, setOpened] = useState(false);
  const age = health.data === undefined ? null : Math.max(0, now - health.dataUpdatedAt);
  const reachable = useSessionState().unreachableSince === null;
  const { tone, words } = enforcement(health.data, age, reachable);
  return (
    <Group gap={6} wrap="nowrap" miw={0}>
      <ActionIcon
        variant="subtle"
        color="gray"
        size="lg"
        aria-label="Show health"
        title={words}
        onClick={() => setOpened(true)}
      >
        <span className={styles.dot} data-tone={tone} aria-hidden="true" />
      </ActionIcon>
      <Text fw={600} truncate className={classes.title} data-alone={tone === 'good'}>
        {title}
      </Text>
      <div role="status" aria-live="polite" data-testid="enforcement">
        {tone === 'good' ? (
          <VisuallyHidden>{words}</VisuallyHidden>
        ) : (
          <Text size="sm" fw={600} data-tone={tone} className={`${styles.tone} ${styles.wrap}`}>
            {words}
          </Text>
        )}
      </div>
      {opened && (
        <Suspense>
          <HealthDrawer onClose={() => setOpened(false)} />
        </Suspense>
      )}
    </Group>
  );
}
