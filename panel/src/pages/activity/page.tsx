import { Tabs } from '@mantine/core';
import { LiveMark } from '../../live/live-mark.tsx';
import { PageFrame } from '../../parts/page-frame.tsx';
import { useUrlState } from '../../parts/url-state.ts';
import { useAllowed } from '../../session/session.ts';
import { AuditLog } from './audit/audit-log.tsx';
import { LiveList } from './live/live-list.tsx';

export default function ActivityPage() {
  const admin = useAllowed('admin');
  const [tab, setTab] = useUrlState('tab', 'live');
  return (
    <PageFrame
      title="Activity"
      about={admin ? 'Live events and the audit log.' : 'Live events.'}
      actions={<LiveMark />}
    >
      {admin ? (
        <Tabs value={tab} onChange={(to) => setTab(to ?? 'live', 'push')} keepMounted={false}>
          <Tabs.List mb="md">
            <Tabs.Tab value="live">Live events</Tabs.Tab>
            <Tabs.Tab value="audit">Audit log</Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value="live">
            <LiveList />
          </Tabs.Panel>
          <Tabs.Panel value="audit">
            <AuditLog />
          </Tabs.Panel>
        </Tabs>
      ) : (
        <LiveList />
      )}
    </PageFrame>
  );
}
