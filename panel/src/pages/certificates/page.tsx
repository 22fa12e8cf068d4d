import { Button, Group, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { useCertificates } from '../../api/certificates.ts';
import type { Certificate } from '../../api/types.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { PlusIcon } from '../../parts/icons.tsx';
import { PageFrame } from '../../parts/page-frame.tsx';
import { sentence } from '../../parts/problem-alert.tsx';
import { Read } from '../../parts/read.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import styles from '../../parts/styles.module.css';
import { useUrlText } from '../../parts/url-state.ts';
import { useAllowed } from '../../session/session.ts';
import { CertificateTable } from './certificate-table.tsx';
import { Orders } from './orders/orders.tsx';
import { RemoveCertificateDialog } from './remove-certificate-dialog.tsx';
import { UploadDialog } from './upload-dialog.tsx';

const typingMs = 200;

export default function CertificatesPage() {
  const may = useAllowed('admin');
  const [search, setSearch] = useUrlText('q');
  const [settled] = useDebouncedValue(search.trim(), typingMs);
  const certificates = useCertificates(settled);
  const [uploading, setUploading] = useState<{ readonly certificate: Certificate | null } | null>(null);
  const [removing, setRemoving] = useState<Certificate | null>(null);
  const off = certificates.data?.pages[0]?.off ?? null;
  return (
    <PageFrame
      title="Certificates"
      about="What HAProxy serves over TLS. Changes apply at once, without a reload."
      actions={
        may &&
        off === null && (
          <Button leftSection={<PlusIcon />} onClick={() => setUploading({ certificate: null })}>
            Upload certificate
          </Button>
        )
      }
    >
      <Read of={certificates} failed="Could not load the certificates" loading="Loading the certificates">
        {({ pages }) => {
          const found = pages.flatMap(({ items }) => items);
          const total = pages[0]?.total ?? 0;
          if (off !== null)
            return (
              <div className={styles.card}>
                <EmptyState title="TLS is off">{sentence(off)}</EmptyState>
              </div>
            );
          return (
            <>
              <Group justify="space-between">
                <SearchField label="Search by name or issuer" value={search} onChange={setSearch} />
                <Text size="sm" c="dimmed" className={styles.figure} role="status">
                  {settled === '' ? `${total} ${total === 1 ? 'certificate' : 'certificates'}` : `${total} found`}
                </Text>
              </Group>
              <div className={styles.card}>
                {found.length > 0 ? (
                  <CertificateTable
                    certificates={found}
                    stale={certificates.error !== null}
                    onReplace={(certificate) => setUploading({ certificate })}
                    onRemove={setRemoving}
                  />
                ) : settled !== '' ? (
                  <EmptyState title="No matches" />
                ) : (
                  <EmptyState title="No certificates yet">
                    Until you upload or order one, HAProxy serves a self-signed certificate, and browsers show a
                    warning.
                  </EmptyState>
                )}
              </div>
              {certificates.hasNextPage && (
                <Group justify="center">
                  <Button
                    variant="default"
                    loading={certificates.isFetchingNextPage}
                    onClick={() => void certificates.fetchNextPage()}
                  >
                    Show more certificates
                  </Button>
                </Group>
              )}
            </>
          );
        }}
      </Read>
      <Orders enabled={certificates.data !== undefined && off === null} search={settled} />
      {uploading !== null && <UploadDialog certificate={uploading.certificate} onClose={() => setUploading(null)} />}
      <RemoveCertificateDialog certificate={removing} onClose={() => setRemoving(null)} />
    </PageFrame>
  );
}
