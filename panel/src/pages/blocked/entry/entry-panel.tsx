import { Button, Group, Stack, Text } from '@mantine/core';
import { ApiProblem } from '../../../../../src/client/client.ts';
import { parseIp } from '../../../../../src/domain/ip.ts';
import { useBlockedDetail } from '../../../api/blocked-ips.ts';
import type { BlockedIp } from '../../../api/types.ts';
import { CopyButton } from '../../../parts/copy-button.tsx';
import { SidePanel } from '../../../parts/side-panel.tsx';
import styles from '../../../parts/styles.module.css';
import { UserText } from '../../../parts/user-text.tsx';
import { useAllowed } from '../../../session/session.ts';
import { widthText } from './address-words.ts';
import classes from './entry-panel.module.css';
import { EntryStory } from './entry-story.tsx';

interface EntryPanelProps {
  readonly ip: string;
  readonly onClose: () => void;
  readonly onEdit: (entry: BlockedIp) => void;
  readonly onUnblock: (entry: BlockedIp) => void;
}

/** The whole story of an entry. */
export function EntryPanel(props: EntryPanelProps) {
  const { ip, onClose } = props;
  return (
    <SidePanel
      title={ip}
      besideFrom={75}
      classNames={{
        beside: classes.beside ?? '',
        head: classes.head ?? '',
        title: classes.title ?? '',
        over: classes.over ?? '',
      }}
      onClose={onClose}
    >
      <Content {...props} />
    </SidePanel>
  );
}

function Content({ ip, onEdit, onUnblock }: EntryPanelProps) {
  const detail = useBlockedDetail(ip);
  const may = useAllowed('block');
  const entry = detail.data;
  const gone = detail.error instanceof ApiProblem && detail.error.status === 404;
  const parse = parseIp(ip);
  return (
    <Stack gap={0}>
      <div className={classes.part}>
        {entry?.reason != null && (
          <Text size="sm" className={styles.wrap ?? ''}>
            <UserText text={entry.reason} />
          </Text>
        )}
        <Text size="sm" c="dimmed" mb="xs">
          {parse.ok && widthText(parse.entry)}
        </Text>
        <Group gap="xs" className={classes.actions ?? ''}>
          {may && !gone && entry !== undefined && (
            <>
              <Button size="compact-sm" variant="default" onClick={() => onEdit(entry)}>
                Edit entry
              </Button>
              <Button size="compact-sm" variant="default" onClick={() => onUnblock(entry)}>
                Unblock
              </Button>
            </>
          )}
          <CopyButton text={window.location.href} label="Copy link" size="compact-sm" />
        </Group>
      </div>
      <EntryStory ip={ip} detail={detail} gone={gone} />
    </Stack>
  );
}
