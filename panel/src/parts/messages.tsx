// Another program's own words, as they came.
import { Text } from '@mantine/core';

export interface MessagesProps {
  /** Whose words, such as "HAProxy's own messages". */
  readonly label: string;
  readonly text: string;
}

export function Messages({ label, text }: MessagesProps) {
  return (
    <section className="messages" aria-label={label}>
      <Text size="xs" c="dimmed" fw={600} className="messages-label">
        {label}
      </Text>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard. */}
      <pre className="mono" tabIndex={0}>
        {text.trimEnd()}
      </pre>
    </section>
  );
}
