import { ActionIcon, Indicator, Popover } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import { counted } from '../../../../src/domain/counted.ts';
import { useNotices } from '../../api/notices.ts';
import { BellIcon } from '../../parts/icons.tsx';

const NoticeList = lazy(() => import('./notice-list.tsx'));

export function NoticeBell() {
  const [opened, setOpened] = useState(false);
  const { data } = useNotices();
  const unread = data?.unread ?? 0;
  const failed = data?.items.some(({ read, level }) => !read && level === 'failure') === true;
  const label = unread === 0 ? 'Notices' : `Notices: ${counted(unread, 'unread', 'unread')}`;
  return (
    <Popover
      opened={opened}
      onChange={setOpened}
      position="bottom-end"
      width="min(400px, calc(100vw - 16px))"
      trapFocus
      returnFocus
      shadow="md"
      transitionProps={{ duration: 0 }}
    >
      {/* Around the target, which alone gets the attributes of a button that opens something. */}
      <Indicator
        disabled={unread === 0}
        color={failed ? 'var(--panel-bad)' : 'var(--panel-warn)'}
        size={8}
        offset={7}
        zIndex={1}
      >
        <Popover.Target>
          <ActionIcon
            variant="default"
            size="lg"
            aria-label={label}
            title={label}
            onClick={() => setOpened((before) => !before)}
          >
            <BellIcon size={16} />
          </ActionIcon>
        </Popover.Target>
      </Indicator>
      <Popover.Dropdown p={0} aria-label="Notices">
        <Suspense>{opened && <NoticeList onClose={() => setOpened(false)} />}</Suspense>
      </Popover.Dropdown>
    </Popover>
  );
}
