import { Anchor, Button, Group, ScrollArea, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { isPanelPage } from '../../../../src/http/panel-pages.ts';
import { useNotices, useReadNotices } from '../../api/notices.ts';
import type { Notice } from '../../api/types.ts';
import { Age, spanText } from '../../parts/age.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ProblemAlert } from '../../parts/problem-alert.tsx';
import { Read } from '../../parts/read.tsx';
import { StateMark } from '../../parts/state-mark.tsx';
import styles from '../../parts/styles.module.css';
import { inLocalTime, momentTitle } from '../../parts/times.ts';
import { useBackCloses } from '../../parts/use-back-closes.ts';
import classes from './notices.module.css';

/** What a person on call should know. */
export default function NoticeList({ onClose }: { readonly onClose: () => void }) {
  const notices = useNotices();
  const read = useReadNotices();
  useBackCloses(onClose);
  const newest = notices.data?.items[0];
  return (
    <>
      <Group justify="space-between" className={classes.head} wrap="nowrap">
        <Text fw={600} size="sm">
          Notices
        </Text>
        <Button
          size="compact-sm"
          variant="subtle"
          data-autofocus
          disabled={newest === undefined || notices.data?.unread === 0}
          loading={read.isPending}
          onClick={() => {
            if (newest !== undefined) read.mutate(newest.id);
          }}
        >
          Mark all as read
        </Button>
      </Group>
      {read.error !== null && <ProblemAlert title="Could not mark the notices as read" error={read.error} />}
      <Read of={notices} failed="Could not load the notices" loading="Loading the notices">
        {({ items }) =>
          items.length === 0 ? (
            <EmptyState title="No notices">
              Failed reloads, attacks, candidates, sites that are down, and certificates, keys and webhooks that need
              attention appear here.
            </EmptyState>
          ) : (
            <ScrollArea.Autosize mah="min(460px, 65dvh)" type="auto">
              <ul className={classes.list}>
                {items.map((notice) => (
                  <Item key={notice.id} notice={notice} onOpen={onClose} />
                ))}
              </ul>
            </ScrollArea.Autosize>
          )
        }
      </Read>
    </>
  );
}

function Item({ notice, onOpen }: { readonly notice: Notice; readonly onOpen: () => void }) {
  const { title, detail, level, page, at, ended_at: end, read } = notice;
  const tone = end !== null ? 'unknown' : level === 'failure' ? 'bad' : 'warn';
  return (
    <li className={classes.notice} data-read={read}>
      <StateMark tone={tone} fw={read ? 400 : 600}>
        {inLocalTime(title)}
      </StateMark>
      {detail !== null && (
        <Text size="xs" c="dimmed" className={styles.wrap}>
          {inLocalTime(detail)}
        </Text>
      )}
      <Text size="xs" c="dimmed" component="div">
        <Age time={at} />
        {end !== null && (
          <span title={momentTitle(end)}> · ended after {spanText(Date.parse(end) - Date.parse(at))}</span>
        )}
        {!read && ' · unread'}
        {isPanelPage(page) && (
          <>
            {' · '}
            <Anchor inherit underline="always" renderRoot={(props) => <Link to={page} onClick={onOpen} {...props} />}>
              Show
            </Anchor>
          </>
        )}
      </Text>
    </li>
  );
}
