import { Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useSites } from '../../api/sites.ts';
import type { Site } from '../../api/types.ts';
import { PlusIcon } from '../../parts/icons.tsx';
import { NothingHere } from '../../parts/nothing-here.tsx';
import { PageFrame } from '../../parts/page-frame.tsx';
import { Read } from '../../parts/read.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import styles from '../../parts/styles.module.css';
import { useUrlText } from '../../parts/url-state.ts';
import { useRowKeys } from '../../parts/use-row-keys.ts';
import { useMay } from '../../session/session.ts';
import { UnlessAttached } from '../configuration/attached/unless-attached.tsx';
import { DriftBanner } from '../configuration/drift/drift-banner.tsx';
import { SiteDialog } from './edit/site-dialog.tsx';
import { RemoveSiteDialog } from './remove-site-dialog.tsx';
import { SiteCard } from './site-card.tsx';

const step = 50;

export default function SitesPage() {
  return <UnlessAttached title="Sites" off="Sites" managed={<Sites />} />;
}

function Sites() {
  const sites = useSites();
  const may = useMay('admin');
  const rows = useRowKeys();
  const [search, setSearch] = useUrlText('q');
  const [most, setMost] = useState(step);
  const [editing, setEditing] = useState<{ readonly site: Site | null } | null>(null);
  const [removing, setRemoving] = useState<Site | null>(null);
  const all = sites.data?.items ?? [];
  const found = all.filter((site) => matches(site, search));
  return (
    <PageFrame
      title="Sites"
      about="What the proxy serves: each name, and the servers behind it."
      actions={
        may && (
          <Button leftSection={<PlusIcon />} onClick={() => setEditing({ site: null })}>
            Add a site
          </Button>
        )
      }
    >
      <DriftBanner />
      <Read of={sites} failed="The sites could not be read" loading="Reading the sites">
        {() => (
          <>
            <Group justify="space-between">
              <SearchField label="Search by name or server" value={search} onChange={setSearch} />
              <Text size="sm" c="dimmed" className={styles.figure} role="status">
                {search === ''
                  ? `${all.length} ${all.length === 1 ? 'site' : 'sites'}`
                  : `${found.length} of ${all.length}`}
              </Text>
            </Group>
            {found.length === 0 && (
              <div className={styles.card}>
                {all.length > 0 ? (
                  <NothingHere title="Nothing matches" />
                ) : (
                  <NothingHere title="No site yet">
                    The proxy answers every name with “no such site” until one is added.
                  </NothingHere>
                )}
              </div>
            )}
            <Stack gap="sm" ref={rows} data-rows>
              {found.slice(0, most).map((site) => (
                <SiteCard
                  key={site.domain}
                  site={site}
                  onEdit={() => setEditing({ site })}
                  onRemove={() => setRemoving(site)}
                />
              ))}
            </Stack>
            {found.length > most && (
              <Group justify="center">
                <Button variant="default" onClick={() => setMost(most + step)}>
                  Show {Math.min(step, found.length - most)} more
                </Button>
              </Group>
            )}
          </>
        )}
      </Read>
      {editing !== null && <SiteDialog site={editing.site} sites={all} onClose={() => setEditing(null)} />}
      <RemoveSiteDialog site={removing} onClose={() => setRemoving(null)} />
    </PageFrame>
  );
}

function matches({ domain, servers }: Site, search: string): boolean {
  const words = search.trim().toLowerCase();
  return domain.includes(words) || servers.some(({ address, port }) => `${address}:${port}`.includes(words));
}
