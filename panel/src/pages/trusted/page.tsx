import { Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { useTrusted } from '../../api/trusted-ips.ts';
import type { TrustedIp } from '../../api/types.ts';
import { PlusIcon } from '../../parts/icons.tsx';
import { NothingHere } from '../../parts/nothing-here.tsx';
import { PageFrame } from '../../parts/page-frame.tsx';
import { Read } from '../../parts/read.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import styles from '../../parts/styles.module.css';
import { useUrlText } from '../../parts/url-state.ts';
import { useMay } from '../../session/session.ts';
import { TrustDialog } from './trust-dialog.tsx';
import { TrustedTable } from './trusted-table.tsx';
import { UnusedTrust } from './unused-trust.tsx';

/** A longer list is narrowed by the search first. */
const mostShown = 500;

export default function TrustedPage() {
  const trusted = useTrusted();
  const may = useMay('admin');
  const [search, setSearch] = useUrlText('q');
  const [dialog, setDialog] = useState<{ readonly entry: TrustedIp | null } | null>(null);
  const all = trusted.data?.items ?? [];
  const found = all.filter((entry) => matches(entry, search));
  return (
    <PageFrame
      title="Trusted addresses"
      about="Never denied, whatever is blocked. A change holds at once."
      actions={
        may && (
          <Button leftSection={<PlusIcon />} onClick={() => setDialog({ entry: null })}>
            Trust an address
          </Button>
        )
      }
    >
      <UnusedTrust />
      <Read of={trusted} failed="The list could not be read" loading="Reading the trusted addresses">
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
                <TrustedTable entries={found.slice(0, mostShown)} onEdit={(entry) => setDialog({ entry })} />
              ) : all.length > 0 ? (
                <NothingHere title="Nothing matches" />
              ) : (
                <NothingHere title="Nobody is trusted yet">
                  Put your own office and your monitoring here, so that no block ever locks you out.
                </NothingHere>
              )}
              {found.length > mostShown && (
                <Text c="dimmed" size="sm" p="xs">
                  These are the first {mostShown}. Search to see others.
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
