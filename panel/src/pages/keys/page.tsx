import { Button, Group, Switch, Text } from '@mantine/core';
import { useState } from 'react';
import { useKeys } from '../../api/keys.ts';
import type { Key } from '../../api/types.ts';
import { AdminPage } from '../../parts/admin-page.tsx';
import { useServiceNow } from '../../parts/age.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { PlusIcon } from '../../parts/icons.tsx';
import { PageFrame } from '../../parts/page-frame.tsx';
import { Read } from '../../parts/read.tsx';
import styles from '../../parts/styles.module.css';
import { BindKeyDialog } from './bind-key-dialog.tsx';
import { CreateKeyDialog } from './create-key-dialog.tsx';
import { keyState } from './key-state.ts';
import { KeyTable } from './key-table.tsx';
import { RevokeDialog } from './revoke-dialog.tsx';
import { UnboundKeys } from './unbound-keys.tsx';

export default function KeysPage() {
  return (
    <AdminPage title="API keys">
      <Keys />
    </AdminPage>
  );
}

function Keys() {
  const keys = useKeys();
  const now = useServiceNow(10_000);
  const [creating, setCreating] = useState(false);
  const [binding, setBinding] = useState<Key | null>(null);
  const [revoking, setRevoking] = useState<string | null>(null);
  const [showInactive, setShowInactive] = useState(false);
  const all = keys.data?.items ?? [];
  const inactive = all.filter((key) => keyState(key, now) !== 'active').length;
  const shown = showInactive ? all : all.filter((key) => keyState(key, now) === 'active');
  return (
    <PageFrame
      title="API keys"
      about="Create one key per person or program, so that you can audit and revoke each."
      actions={
        <Button leftSection={<PlusIcon />} onClick={() => setCreating(true)}>
          Create key
        </Button>
      }
    >
      <Read of={keys} failed="Could not load the keys" loading="Loading the keys">
        {() => (
          <>
            <UnboundKeys keys={all} now={now} onBind={setBinding} />
            <Group justify="space-between">
              <Text size="sm" c="dimmed" className={styles.figure} role="status">
                {all.length - inactive} active, {inactive} revoked or expired
              </Text>
              <Switch
                label="Show revoked and expired keys"
                checked={showInactive}
                onChange={(event) => setShowInactive(event.currentTarget.checked)}
              />
            </Group>
            <div className={styles.card}>
              {shown.length > 0 ? (
                <KeyTable
                  keys={shown}
                  now={now}
                  onBind={setBinding}
                  onRevoke={({ name }) => {
                    setRevoking(name);
                    // The dialog shows when the key was last used, which the polled list may not have yet.
                    void keys.refetch();
                  }}
                />
              ) : (
                <EmptyState title={all.length === 0 ? 'No keys yet' : 'No active keys'}>
                  The admin key from the settings is not listed.
                </EmptyState>
              )}
            </div>
          </>
        )}
      </Read>
      {creating && <CreateKeyDialog usedNames={all.map(({ name }) => name)} onClose={() => setCreating(false)} />}
      {binding !== null && <BindKeyDialog keyToBind={binding} onClose={() => setBinding(null)} />}
      <RevokeDialog
        keyToRevoke={all.find(({ name }) => name === revoking) ?? null}
        fresh={!keys.isFetching && keys.error === null}
        onClose={() => setRevoking(null)}
      />
    </PageFrame>
  );
}
