// A state as a coloured mark and words; never by colour alone. What is not known is grey and says so.
import { Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useSessionState } from '../session/session.ts';
import styles from './styles.module.css';

export type Tone = 'good' | 'bad' | 'warn' | 'unknown';

export interface StateMarkProps {
  readonly tone: Tone;
  readonly children: ReactNode;
  readonly size?: string;
  readonly fw?: number;
}

/** What was good is not known while the service does not answer. */
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
