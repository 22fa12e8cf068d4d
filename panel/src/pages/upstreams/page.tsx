import { Alert, Button, List, Text } from '@mantine/core';
import { useState } from 'react';
import type { Upstream } from '../../api/types.ts';
import { useUpstreams } from '../../api/upstreams.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { PlusIcon } from '../../parts/icons.tsx';
import { PageFrame } from '../../parts/page-frame.tsx';
import { sentence } from '../../parts/problem-alert.tsx';
import { Read } from '../../parts/read.tsx';
import styles from '../../parts/styles.module.css';
import { useAllowed } from '../../session/session.ts';
import { ClientForm } from './client-form.tsx';
import { RemoveUpstreamDialog } from './remove-upstream-dialog.tsx';
import { UpstreamDialog } from './upstream-dialog.tsx';
import { UpstreamTable } from './upstream-table.tsx';
import { consequenceWords } from './upstream-words.ts';

export default function UpstreamsPage() {
  const upstreams = useUpstreams();
  const may = useAllowed('admin');
  const [editing, setEditing] = useState<{ readonly upstream: Upstream | null } | null>(null);
  const [removing, setRemoving] = useState<Upstream | null>(null);
  const all = upstreams.data?.items ?? [];
  return (
    <PageFrame
      title="In front of HAProxy"
      about="Upstreams are proxies such as a CDN or a load balancer. HAProxy checks the address of the client that they name, not their own."
      actions={
        may && (
          <Button leftSection={<PlusIcon />} onClick={() => setEditing({ upstream: null })}>
            Add upstream
          </Button>
        )
      }
    >
      <Read of={upstreams} failed="Could not load the upstreams" loading="Loading the upstreams">
        {(list) => (
          <>
            {list.items.length > 0 && list.reason !== null && (
              <Alert
                color={list.in_force === false ? 'red' : 'orange'}
                variant="light"
                title={
                  list.in_force === false ? 'Upstreams are not in force' : 'Not known whether upstreams are in force'
                }
                role="status"
              >
                <Text size="sm">{sentence(list.reason)}</Text>
                <Text size="sm">{consequenceWords(list)}</Text>
              </Alert>
            )}
            <div className={styles.card}>
              {list.items.length === 0 ? (
                <NoUpstreams />
              ) : (
                <UpstreamTable
                  list={list}
                  stale={upstreams.error !== null}
                  onEdit={(upstream) => setEditing({ upstream })}
                  onRemove={setRemoving}
                />
              )}
            </div>
          </>
        )}
      </Read>
      <ClientForm />
      {editing !== null && (
        <UpstreamDialog upstream={editing.upstream} upstreams={all} onClose={() => setEditing(null)} />
      )}
      <RemoveUpstreamDialog upstream={removing} isLast={all.length === 1} onClose={() => setRemoving(null)} />
    </PageFrame>
  );
}

function NoUpstreams() {
  return (
    <EmptyState title="No upstreams yet">
      <Text size="sm">
        HAProxy checks the address of each connection, whatever headers say. Add an upstream if clients reach HAProxy
        through:
      </Text>
      <List size="sm" ta="left" my="xs" w="fit-content" mx="auto">
        <List.Item>a CDN, such as Cloudflare, Fastly or CloudFront</List.Item>
        <List.Item>a load balancer, or another HAProxy</List.Item>
        <List.Item>a tunnel, such as cloudflared</List.Item>
        <List.Item>anything that sends PROXY protocol</List.Item>
      </List>
      <Text size="sm">
        Without an upstream, a block denies none of its clients, or all of them. docs/upstreams.md has a section for
        each.
      </Text>
    </EmptyState>
  );
}
