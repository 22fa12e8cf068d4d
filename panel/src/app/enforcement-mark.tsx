import { Group, Text } from '@mantine/core';
import { useHealth } from '../api/health.ts';
import { spanText, useNow } from '../parts/age.tsx';
import { StateMark } from '../parts/state-mark.tsx';
import styles from '../parts/styles.module.css';
import { useSessionState } from '../session/session.ts';
import { enforcement, isStale } from './enforcement.ts';

export function EnforcementMark() {
  const health = useHealth();
  const now = useNow();
  const age = health.data === undefined ? null : Math.max(0, now - health.dataUpdatedAt);
  const reachable = useSessionState().unreachableSince === null;
  const { tone, words } = enforcement(health.data, age, reachable);
  return (
    <Group gap="xs" wrap="nowrap" role="status" aria-live="polite" data-testid="enforcement">
      <StateMark tone={tone} fw={600}>
        {words}
      </StateMark>
      {age !== null && (
        <Text span size="xs" c="dimmed" visibleFrom="sm" aria-hidden="true" className={styles.figure}>
          {isStale(age, reachable) ? `last update ${spanText(age)} ago` : `updated ${spanText(age)} ago`}
        </Text>
      )}
    </Group>
  );
}
