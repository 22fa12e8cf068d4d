import { Alert, Group, Stack, Text } from '@mantine/core';
import { useHealth } from '../../../api/health.ts';
import type { Attached } from '../../../api/types.ts';
import { notBlockedIn, unprotectedFrontEnds } from '../../../app/enforcement.ts';
import { CopyButton } from '../../../parts/copy-button.tsx';
import styles from '../../../parts/styles.module.css';
import { exemption } from './front-end-words.ts';

/** What to do about front ends that serve blocked addresses; only the operator writes their files. */
export function MissingRules({ attached }: { readonly attached: Attached }) {
  const health = useHealth().data;
  const unprotected = health === undefined ? [] : unprotectedFrontEnds(health);
  if (unprotected.length === 0) return null;
  return (
    <Alert color="red" variant="light" title={notBlockedIn({ attached }, unprotected.length)} role="status">
      <Stack gap="xs" align="flex-start">
        <Text size="sm">
          Run this as root on the machine of HAProxy. It prints the lines that each front end lacks, waits until you
          have pasted them, and verifies that blocked addresses are denied.
        </Text>
        <Line text="proxy-manager attach" label="Copy command" />
        <Text size="sm">
          To exempt a front end instead, such as the statistics page, add its setting to those of the service, for
          example in /etc/default/proxy-manager, and restart the service. Blocked addresses are then served there. To
          exempt several front ends, separate their names by commas.
        </Text>
        {unprotected.map(({ name, place }) => (
          <Line key={place} text={exemption(attached, name)} label={`Copy setting for ${name}`} />
        ))}
      </Stack>
    </Alert>
  );
}

function Line({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <Group gap="xs">
      <Text span size="sm" className={`${styles.mono} ${styles.wrap}`}>
        {text}
      </Text>
      <CopyButton text={text} label={label} size="compact-xs" />
    </Group>
  );
}
