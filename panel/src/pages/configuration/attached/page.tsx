import { Alert, Text } from '@mantine/core';
import type { Attached } from '../../../api/types.ts';
import styles from '../../../parts/styles.module.css';
import { ConfigurationFrame } from '../configuration-frame.tsx';
import { ReloadHistory } from '../history/reload-history.tsx';
import { ReloadDialog } from '../reload-dialog.tsx';
import { FrontEnds } from './front-ends.tsx';
import { MissingRules } from './missing-rules.tsx';

export function AttachedPage({ attached }: { readonly attached: Attached }) {
  const by = attached.reload_by;
  return (
    <ConfigurationFrame
      about="HAProxy runs your own configuration. The service reads it and never writes it."
      banner={
        <>
          {attached.changed_since_load && (
            <Alert color="orange" variant="light" title="The files changed since HAProxy loaded them" role="status">
              <Text size="sm">
                This page shows the loaded configuration. To apply the changes, reload HAProxy. The service does not do
                it by itself.
              </Text>
            </Alert>
          )}
          <MissingRules attached={attached} />
        </>
      }
      reloadDialog={
        by === 'never'
          ? null
          : (onDone, onClose) => (
              <ReloadDialog onDone={onDone} onClose={onClose}>
                <Text size="sm">
                  HAProxy validates your files, then a new worker takes over without dropping connections. If it rejects
                  them, the current worker keeps running.
                  {by.startsWith('systemd:') && ` The reload runs systemctl reload ${by.slice('systemd:'.length)}.`}
                </Text>
              </ReloadDialog>
            )
      }
      tabs={() => [
        { value: 'front-ends', label: 'Front ends', content: <FrontEnds attached={attached} /> },
        {
          value: 'history',
          label: 'History',
          content: (
            <div className={styles.card}>
              <ReloadHistory />
            </div>
          ),
        },
      ]}
    />
  );
}
