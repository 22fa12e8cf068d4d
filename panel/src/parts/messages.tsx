import { Text } from '@mantine/core';
import classes from './messages.module.css';
import styles from './styles.module.css';

interface MessagesProps {
  readonly label: string;
  readonly text: string;
}

export function Messages({ label, text }: MessagesProps) {
  return (
    <section className={classes.messages} aria-label={label}>
      <Text size="xs" c="dimmed" fw={600} className={classes.label}>
        {label}
      </Text>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling element must be reachable by keyboard. */}
      <pre className={styles.mono} tabIndex={0}>
        {text.trimEnd()}
      </pre>
    </section>
  );
}
