import { Tabs } from '@mantine/core';
import { LiveMark } from '../../live/live-mark.tsx';
import { PageFrame } from '../../parts/page-frame.tsx';
import { useUrlState } from '../../parts/url-state.ts';
import { useMay } from '../../session/session.ts';
import { AuditTrail } from './audit/audit-trail.tsx';
import { LiveList } from './live/live-list.tsx';

export default function ActivityPage() {
  const admin = useMay('admin');
  const [tab, setTab] = useUrlState('tab', 'live');
  return (
    <PageFrame title="Activity" about="What happens in the service, and who did what." actions={<LiveMark />}>
      {admin ? (
        <Tabs value={tab} onChange={(to) => setTab(to ?? 'live', 'push')} keepMounted={false}>
          <Tabs.List mb="md">
            <Tabs.Tab value="live">As it happens</Tabs.Tab>
            <Tabs.Tab value="audit">Who did what</Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value="live">
            <LiveList />
          </Tabs.Panel>
          <Tabs.Panel value="audit">
            <AuditTrail />
          </Tabs.Panel>
        </Tabs>
      ) : (
        <LiveList />
      )}
    </PageFrame>
  );
}
