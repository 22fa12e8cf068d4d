import { Text } from '@mantine/core';
import { AdminPage } from '../../parts/admin-page.tsx';
import styles from '../../parts/styles.module.css';
import { AttachedPage } from './attached/page.tsx';
import { UnlessAttached } from './attached/unless-attached.tsx';
import { BackupList } from './backup-list.tsx';
import { ConfigurationFrame } from './configuration-frame.tsx';
import { DriftBanner } from './drift/drift-banner.tsx';
import { ReloadHistory } from './history/reload-history.tsx';
import { LiveText } from './live-text.tsx';
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
  return (
    <ConfigurationFrame
      about="The live HAProxy configuration, generated from the template and the sites."
      banner={<DriftBanner />}
      reloadDialog={(onDone, onClose) => (
        <ReloadDialog onDone={onDone} onClose={onClose} size="xl">
          <Text size="sm">
            HAProxy validates the configuration, then a new worker takes over without dropping connections. If
            validation fails, the live configuration does not change.
          </Text>
          <div>
            <Text size="sm" fw={600} mb={4}>
              Configuration changes
            </Text>
            <PendingChange backup={null} />
          </div>
        </ReloadDialog>
      )}
      tabs={({ clear, show }) => [
        { value: 'live', label: 'Live configuration', content: <LiveText /> },
        { value: 'change', label: 'Pending changes', content: <PendingChange backup={null} /> },
        {
          value: 'history',
          label: 'History',
          content: (
            <div className={styles.card}>
              <ReloadHistory />
            </div>
          ),
        },
        { value: 'backups', label: 'Backups', content: <BackupList onAsk={clear} onDone={show} /> },
      ]}
    />
  );
}
