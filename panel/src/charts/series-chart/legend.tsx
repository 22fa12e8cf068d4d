import { Group, Text } from '@mantine/core';
import { shortCount } from '../../parts/figures.ts';
import styles from '../../parts/styles.module.css';
import type { ChartData } from '../series.ts';
import classes from './chart.module.css';

/** With the last value of each line. */
export function Legend({ data: { lines, previous } }: { readonly data: ChartData }) {
  return (
    <Group gap="2px 16px" justify="flex-end">
      {lines.map(({ label, colour, values }) => (
        <Text key={label} size="xs" className={styles.figure}>
          <span className={classes.swatch} style={{ background: `var(${colour})` }} aria-hidden="true" />
          {label} <b>{shortCount(values.at(-1) ?? null)}</b>
        </Text>
      ))}
      {previous !== undefined && (
        <Text size="xs" c="dimmed">
          <span className={classes.dashed} aria-hidden="true" />
          {previous.label}
        </Text>
      )}
    </Group>
  );
}
