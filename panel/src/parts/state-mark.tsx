import { Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useSessionState } from '../session/session.ts';
import styles from './styles.module.css';

export type Tone = 'good' | 'bad' | 'warn' | 'unknown';

interface StateMarkProps {
  readonly tone: Tone;
  readonly children: ReactNode;
  readonly size?: string;
  readonly fw?: number;
}

/** A good state is unknown while the service does not respond. */
export function StateMark({ tone: given, children, size = 'sm', fw }: StateMarkProps) {
  const reachable = useSessionState().unreachableSince === null;
  const tone = given === 'good' && !reachable ? 'unknown' : given;
  return (
    <Group gap={8} wrap="nowrap" align="baseline" data-tone={tone} display="inline-flex">
      <span className={styles.dot} data-tone={tone} aria-hidden="true" />
      <Text span size={size} {...(fw === undefined ? {} : { fw })} className={`${styles.tone} ${styles.wrap}`}>
        {children}
      </Text>
    </Group>
  );
}
