import { Alert, Button, Tabs, Text } from '@mantine/core';
import { useState } from 'react';
import { useValidate } from '../../../api/config.ts';
import type { Attached, ReloadAnswer } from '../../../api/types.ts';
import { CheckIcon, RefreshIcon } from '../../../parts/icons.tsx';
import { PageFrame } from '../../../parts/page-frame.tsx';
import { ProblemAlert } from '../../../parts/problem-alert.tsx';
import styles from '../../../parts/styles.module.css';
import { useUrlState } from '../../../parts/url-state.ts';
import { useSession } from '../../../session/session.ts';
import { ReloadHistory } from '../history/reload-history.tsx';
import { Reloaded, Validated } from '../outcomes.tsx';
import { FrontEnds } from './front-ends.tsx';
import { ReloadAttached } from './reload-attached.tsx';

export function AttachedPage({ attached }: { readonly attached: Attached }) {
  const { clock } = useSession();
  const validate = useValidate();
  const [tab, setTab] = useUrlState('tab', 'front-ends');
  const [asking, setAsking] = useState(false);
  const [reloaded, setReloaded] = useState<{ readonly answer: ReloadAnswer; readonly at: string } | null>(null);
  const clearOutcomes = (): void => {
    validate.reset();
    setReloaded(null);
  };
  return (
    <PageFrame
      title="Configuration"
      about="HAProxy runs your own configuration. The service reads it and never writes it."
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
          {attached.reload_by !== 'never' && (
            <Button
              leftSection={<RefreshIcon />}
              onClick={() => {
                clearOutcomes();
                setAsking(true);
              }}
            >
              Reload HAProxy…
            </Button>
          )}
        </>
      }
    >
      {attached.changed_since_load && (
        <Alert color="orange" variant="light" title="The files changed since HAProxy loaded them" role="status">
          <Text size="sm">
            This page shows the loaded configuration. To apply the changes, reload HAProxy. The service does not do it
            by itself.
          </Text>
        </Alert>
      )}
      {validate.error !== null && <ProblemAlert title="Could not validate the configuration" error={validate.error} />}
      {validate.data !== undefined && <Validated answer={validate.data} onClose={() => validate.reset()} />}
      {reloaded !== null && <Reloaded {...reloaded} onClose={() => setReloaded(null)} />}
      <Tabs value={tab} onChange={(to) => setTab(to ?? 'front-ends', 'push')} keepMounted={false}>
        <Tabs.List mb="md">
          <Tabs.Tab value="front-ends">Front ends</Tabs.Tab>
          <Tabs.Tab value="history">History</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="front-ends">
          <FrontEnds attached={attached} />
        </Tabs.Panel>
        <Tabs.Panel value="history">
          <div className={styles.card}>
            <ReloadHistory />
          </div>
        </Tabs.Panel>
      </Tabs>
      {asking && (
        <ReloadAttached
          by={attached.reload_by}
          onDone={(answer) => {
            setAsking(false);
            setReloaded({ answer, at: new Date(clock.now()).toISOString() });
          }}
          onClose={() => setAsking(false)}
        />
      )}
    </PageFrame>
  );
}
