import { Button, Group, Switch, Text } from '@mantine/core';
import { useState } from 'react';
import { useKeys } from '../../api/keys.ts';
import { AdminPage } from '../../parts/admin-page.tsx';
import { useServiceNow } from '../../parts/age.tsx';
import { PlusIcon } from '../../parts/icons.tsx';
import { NothingHere } from '../../parts/nothing-here.tsx';
import { PageFrame } from '../../parts/page-frame.tsx';
import { Read } from '../../parts/read.tsx';
import styles from '../../parts/styles.module.css';
import { CreateKeyDialog } from './create-key-dialog.tsx';
import { keyState } from './key-state.ts';
import { KeyTable } from './key-table.tsx';
import { RevokeDialog } from './revoke-dialog.tsx';

export default function KeysPage() {
  return (
    <AdminPage title="Keys" what="keys">
      <Keys />
    </AdminPage>
  );
}

function Keys() {
  const keys = useKeys();
  const now = useServiceNow(10_000);
  const [creating, setCreating] = useState(false);
  const [revoking, setRevoking] = useState<string | null>(null);
  const [withEnded, setWithEnded] = useState(false);
  const all = keys.data?.items ?? [];
  const ended = all.filter((key) => keyState(key, now) !== 'valid').length;
  const shown = withEnded ? all : all.filter((key) => keyState(key, now) === 'valid');
  return (
    <PageFrame
      title="Keys"
      about="Each program and each person has its own, so that the log says who, and one can be taken away alone."
      actions={
        <Button leftSection={<PlusIcon />} onClick={() => setCreating(true)}>
          Make a key
        </Button>
      }
    >
      <Read of={keys} failed="The keys could not be read" loading="Reading the keys">
        {() => (
          <>
            <Group justify="space-between">
              <Text size="sm" c="dimmed" className={styles.figure} role="status">
                {all.length - ended} valid, {ended} revoked or ended
              </Text>
              <Switch
                label="Show revoked and ended ones"
                checked={withEnded}
                onChange={(event) => setWithEnded(event.currentTarget.checked)}
              />
            </Group>
            <div className={styles.card}>
              {shown.length > 0 ? (
                <KeyTable
                  keys={shown}
                  now={now}
                  onRevoke={({ name }) => {
                    setRevoking(name);
                    // Who revokes a key wants to know whether it is used now, not a minute ago.
                    void keys.refetch();
                  }}
                />
              ) : (
                <NothingHere title={all.length === 0 ? 'No key is in the database' : 'No key in the database is valid'}>
                  The settings of the service give one of their own, which stands in no list.
                </NothingHere>
              )}
            </div>
          </>
        )}
      </Read>
      {creating && <CreateKeyDialog taken={all.map(({ name }) => name)} onClose={() => setCreating(false)} />}
      <RevokeDialog
        keyToRevoke={all.find(({ name }) => name === revoking) ?? null}
        fresh={!keys.isFetching && keys.error === null}
        onClose={() => setRevoking(null)}
      />
    </PageFrame>
  );
}
