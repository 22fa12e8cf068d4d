import { Button, Tabs } from '@mantine/core';
import { useState } from 'react';
import { useValidate } from '../../api/config.ts';
import type { ReloadAnswer } from '../../api/types.ts';
import { AdminPage } from '../../parts/admin-page.tsx';
import { CheckIcon, RefreshIcon } from '../../parts/icons.tsx';
import { PageFrame } from '../../parts/page-frame.tsx';
import { ProblemAlert } from '../../parts/problem-alert.tsx';
import styles from '../../parts/styles.module.css';
import { useUrlState } from '../../parts/url-state.ts';
import { useSession } from '../../session/session.ts';
import { AttachedPage } from './attached/page.tsx';
import { UnlessAttached } from './attached/unless-attached.tsx';
import { BackupList } from './backup-list.tsx';
import { DriftBanner } from './drift/drift-banner.tsx';
import { ReloadHistory } from './history/reload-history.tsx';
import { LiveText } from './live-text.tsx';
import { Reloaded, Validated } from './outcomes.tsx';
import { PendingChange } from './pending-change.tsx';
import { ReloadDialog } from './reload-dialog.tsx';

export default function ConfigurationPage() {
  return (
    <AdminPage title="Configuration">
      <UnlessAttached title="Configuration" managed={<Configuration />} attached={AttachedPage} />
    </AdminPage>
  );
}

function Configuration() {
  const { clock } = useSession();
  const validate = useValidate();
  const [tab, setTab] = useUrlState('tab', 'live');
  const [asking, setAsking] = useState(false);
  const [reloaded, setReloaded] = useState<{ readonly answer: ReloadAnswer; readonly at: string } | null>(null);
  const clearOutcomes = (): void => {
    validate.reset();
    setReloaded(null);
  };
  const done = (answer: ReloadAnswer): void => {
    setAsking(false);
    setReloaded({ answer, at: new Date(clock.now()).toISOString() });
  };
  return (
    <PageFrame
      title="Configuration"
      about="The live HAProxy configuration, generated from the template and the sites."
      actions={
        <>
          <Button
            variant="default"
            leftSection={<CheckIcon />}
            loading={validate.isPending}
            onClick={() => {
              clearOutcomes();
              validate.mutate();
            }}
          >
            Validate configuration
          </Button>
          <Button
            leftSection={<RefreshIcon />}
            onClick={() => {
              clearOutcomes();
              setAsking(true);
            }}
          >
            Reload HAProxy…
          </Button>
        </>
      }
    >
      <DriftBanner />
      {validate.error !== null && <ProblemAlert title="Could not validate the configuration" error={validate.error} />}
      {validate.data !== undefined && <Validated answer={validate.data} onClose={() => validate.reset()} />}
      {reloaded !== null && <Reloaded {...reloaded} onClose={() => setReloaded(null)} />}
      <Tabs value={tab} onChange={(to) => setTab(to ?? 'live', 'push')} keepMounted={false}>
        <Tabs.List mb="md">
          <Tabs.Tab value="live">Live configuration</Tabs.Tab>
          <Tabs.Tab value="change">Pending changes</Tabs.Tab>
          <Tabs.Tab value="history">History</Tabs.Tab>
          <Tabs.Tab value="backups">Backups</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="live">
          <LiveText />
        </Tabs.Panel>
        <Tabs.Panel value="change">
          <PendingChange backup={null} />
        </Tabs.Panel>
        <Tabs.Panel value="history">
          <div className={styles.card}>
            <ReloadHistory />
          </div>
        </Tabs.Panel>
        <Tabs.Panel value="backups">
          <BackupList onAsk={clearOutcomes} onDone={done} />
        </Tabs.Panel>
      </Tabs>
      {asking && <ReloadDialog onDone={done} onClose={() => setAsking(false)} />}
    </PageFrame>
  );
}
