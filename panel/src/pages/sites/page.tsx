import { Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { isInsightLoading, isInsightOff, useSiteTraffic } from '../../api/insight.ts';
import { useSites } from '../../api/sites.ts';
import type { Site } from '../../api/types.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { PlusIcon } from '../../parts/icons.tsx';
import { PageFrame } from '../../parts/page-frame.tsx';
import { Read, ReadProblem } from '../../parts/read.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import styles from '../../parts/styles.module.css';
import { useUrlText } from '../../parts/url-state.ts';
import { useRowKeys } from '../../parts/use-row-keys.ts';
import { useAllowed } from '../../session/session.ts';
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
  const figures = useSiteTraffic();
  const traffic = figures.error === null ? figures.data : undefined;
  const may = useAllowed('admin');
  const rows = useRowKeys();
  const [search, setSearch] = useUrlText('q');
  const [limit, setLimit] = useState(step);
  const [editing, setEditing] = useState<{ readonly site: Site | null } | null>(null);
  const [removing, setRemoving] = useState<Site | null>(null);
  const all = sites.data?.items ?? [];
  const found = all.filter((site) => matches(site, search));
  return (
    <PageFrame
      title="Sites"
      about="The domains that HAProxy serves, and the servers behind them."
      actions={
        may && (
          <Button leftSection={<PlusIcon />} onClick={() => setEditing({ site: null })}>
            Add site
          </Button>
        )
      }
    >
      <DriftBanner />
      <Read of={sites} failed="Could not load the sites" loading="Loading the sites">
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
                  <EmptyState title="No matches" />
                ) : (
                  <EmptyState title="No sites yet">
                    Until you add one, HAProxy answers every request with 404 “no such site”.
                  </EmptyState>
                )}
              </div>
            )}
            {!isInsightOff(figures.error) && !isInsightLoading(figures.error) && (
              <ReadProblem of={figures} failed="Could not load the requests of the sites" />
            )}
            <Stack gap="sm" ref={rows} data-rows>
              {found.slice(0, limit).map((site) => (
                <SiteCard
                  key={site.domain}
                  site={site}
                  traffic={traffic?.items.find((one) => one.site === site.domain)}
                  watched={traffic?.complete === true}
                  onEdit={() => setEditing({ site })}
                  onRemove={() => setRemoving(site)}
                />
              ))}
            </Stack>
            {found.length > limit && (
              <Group justify="center">
                <Button variant="default" onClick={() => setLimit(limit + step)}>
                  Show {Math.min(step, found.length - limit)} more sites
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

function matches({ domain, names, servers, redirect }: Site, search: string): boolean {
  const words = search.trim().toLowerCase();
  const targets = [redirect?.to ?? '', ...servers.map(({ address, port }) => `${address}:${port}`)];
  return [domain, ...names, ...targets].some((text) => text.includes(words));
}
