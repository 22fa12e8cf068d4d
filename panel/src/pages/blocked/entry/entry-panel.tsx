import { ActionIcon, Button, Drawer, Group, Stack, Text } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useEffect, useRef } from 'react';
import { ApiProblem } from '../../../../../src/client/client.ts';
import { parseIp } from '../../../../../src/domain/ip.ts';
import { useBlockedDetail } from '../../../api/blocked-ips.ts';
import type { BlockedIp } from '../../../api/types.ts';
import { CopyButton } from '../../../parts/copy-button.tsx';
import styles from '../../../parts/styles.module.css';
import { useEscape } from '../../../parts/use-escape.ts';
import { useFocusReturn } from '../../../parts/use-focus-return.ts';
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

/** The whole story of an entry: beside the list where there is room, else over it. */
export function EntryPanel(props: EntryPanelProps) {
  const beside = useMediaQuery('(min-width: 75em)', true, { getInitialValueInEffect: false });
  return beside ? <Beside {...props} /> : <Over {...props} />;
}

function Beside(props: EntryPanelProps) {
  const { ip, onClose } = props;
  const panel = useRef<HTMLDivElement>(null);
  useFocusReturn();
  useEffect(() => {
    panel.current?.focus({ preventScroll: true });
  }, []);
  useEscape(onClose);
  return (
    <section ref={panel} role="dialog" aria-label={ip} className={classes.beside} tabIndex={-1}>
      <div className={classes.head}>
        <h2 className={classes.title}>{ip}</h2>
        <ActionIcon variant="subtle" color="gray" aria-label="Close" title="Close ( Esc )" onClick={onClose}>
          ×
        </ActionIcon>
      </div>
      <Content {...props} />
    </section>
  );
}

function Over(props: EntryPanelProps) {
  const { ip, onClose } = props;
  useFocusReturn();
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      title={ip}
      size="md"
      classNames={{ title: classes.title ?? '', body: classes.over ?? '' }}
    >
      <Content {...props} />
    </Drawer>
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
