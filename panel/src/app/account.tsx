import { ActionIcon, Box, Group, Text } from '@mantine/core';
import { useHealth } from '../api/health.ts';
import { accessLabel } from '../pages/keys/scope-words.ts';
import { LeaveIcon } from '../parts/icons.tsx';
import styles from '../parts/styles.module.css';
import { useSession, useSessionState } from '../session/session.ts';
import { shortVersion } from './short-version.ts';
import { Shortcuts } from './shortcuts.tsx';

/** Who is signed in, and the versions. */
export function Account() {
  const session = useSession();
  const { info } = useSessionState();
  const versions = useHealth().data?.versions;
  return (
    <Box px={10} py="xs">
      <Group justify="space-between" wrap="nowrap" gap="xs">
        <Box miw={0}>
          <Text size="sm" fw={600} truncate title={info?.name ?? ''}>
            {info?.name}
          </Text>
          <Text size="xs" c="dimmed">
            {accessLabel(info?.scopes ?? [])}
          </Text>
        </Box>
        <Group gap={4} wrap="nowrap">
          <Shortcuts />
          <ActionIcon
            variant="default"
            size="lg"
            aria-label="Sign out"
            title="Sign out"
            onClick={() => session.signOut()}
          >
            <LeaveIcon size={16} />
          </ActionIcon>
        </Group>
      </Group>
      {versions !== undefined && (
        <Text
          size="xs"
          c="dimmed"
          truncate
          className={styles.figure}
          title={`proxy-manager ${versions.service}, HAProxy ${versions.proxy}`}
        >
          {versions.service} · HAProxy {shortVersion(versions.proxy)}
        </Text>
      )}
    </Box>
  );
}
