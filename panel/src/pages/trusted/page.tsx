import { Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { useTrusted } from '../../api/trusted-ips.ts';
import type { TrustedIp } from '../../api/types.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { PlusIcon } from '../../parts/icons.tsx';
import { PageFrame } from '../../parts/page-frame.tsx';
import { Read } from '../../parts/read.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import styles from '../../parts/styles.module.css';
import { useUrlText } from '../../parts/url-state.ts';
import { useAllowed } from '../../session/session.ts';
import { TrustDialog } from './trust-dialog.tsx';
import { TrustedTable } from './trusted-table.tsx';
import { UnusedTrust } from './unused-trust.tsx';

const maxShown = 500;

export default function TrustedPage() {
  const trusted = useTrusted();
  const may = useAllowed('admin');
  const [search, setSearch] = useUrlText('q');
  const [dialog, setDialog] = useState<{ readonly entry: TrustedIp | null } | null>(null);
  const all = trusted.data?.items ?? [];
  const found = all.filter((entry) => matches(entry, search));
  return (
    <PageFrame
      title="Trusted addresses"
      about="Trusted addresses are never blocked. Changes apply at once."
      actions={
        may && (
          <Button leftSection={<PlusIcon />} onClick={() => setDialog({ entry: null })}>
            Trust address
          </Button>
        )
      }
    >
      <UnusedTrust />
      <Read of={trusted} failed="Could not load the trusted addresses" loading="Loading the trusted addresses">
        {() => (
          <>
            <Group justify="space-between">
              <SearchField label="Search by address or note" value={search} onChange={setSearch} />
              <Text size="sm" c="dimmed" className={styles.figure} role="status">
                {search === '' ? `${all.length} trusted` : `${found.length} of ${all.length}`}
              </Text>
            </Group>
            <div className={styles.card}>
              {found.length > 0 ? (
                <TrustedTable entries={found.slice(0, maxShown)} onEdit={(entry) => setDialog({ entry })} />
              ) : all.length > 0 ? (
                <EmptyState title="No matches" />
              ) : (
                <EmptyState title="No trusted addresses yet">
                  Add your office and your monitoring, so that no block locks you out.
                </EmptyState>
              )}
              {found.length > maxShown && (
                <Text c="dimmed" size="sm" p="xs">
                  The first {maxShown} are shown. Use the search to find others.
                </Text>
              )}
            </div>
          </>
        )}
      </Read>
      {dialog !== null && <TrustDialog entry={dialog.entry} trusted={all} onClose={() => setDialog(null)} />}
    </PageFrame>
  );
}

function matches({ ip_address: address, note }: TrustedIp, search: string): boolean {
  const words = search.trim().toLowerCase();
  return address.includes(words) || (note?.toLowerCase().includes(words) ?? false);
}
