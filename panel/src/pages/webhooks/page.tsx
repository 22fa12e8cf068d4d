import { Button, Text } from '@mantine/core';
import { useState } from 'react';
import type { Webhook } from '../../api/types.ts';
import { useSetWebhook, useWebhooks } from '../../api/webhooks.ts';
import { AdminPage } from '../../parts/admin-page.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { PlusIcon } from '../../parts/icons.tsx';
import { PageFrame } from '../../parts/page-frame.tsx';
import { Read } from '../../parts/read.tsx';
import styles from '../../parts/styles.module.css';
import { toast, toastProblem } from '../../parts/toasts.tsx';
import { RemoveWebhookDialog } from './remove-webhook-dialog.tsx';
import { WebhookDialog } from './webhook-dialog.tsx';
import { webhookState } from './webhook-state.ts';
import { WebhookTable } from './webhook-table.tsx';

/** The service's limit. */
const maxWebhooks = 20;

export default function WebhooksPage() {
  return (
    <AdminPage title="Webhooks">
      <Webhooks />
    </AdminPage>
  );
}

function Webhooks() {
  const webhooks = useWebhooks();
  const set = useSetWebhook();
  const [editing, setEditing] = useState<{ readonly hook: Webhook | null } | null>(null);
  const [removing, setRemoving] = useState<Webhook | null>(null);
  const hooks = webhooks.data ?? [];
  const full = hooks.length >= maxWebhooks;

  // Saving a webhook restarts its delivery without the retry delay.
  const retryNow = async ({ id, url, events, enabled }: Webhook): Promise<void> => {
    try {
      await set.mutateAsync({ id, url, events, enabled, secret: null });
      toast({ title: `Retrying ${id}…`, words: 'The list shows the result.', tone: 'unknown' });
    } catch (error) {
      toastProblem(`Could not retry ${id}`, error);
    }
  };

  return (
    <PageFrame
      title="Webhooks"
      about="Send signed events to your own URL, in order, with retries."
      actions={
        <Button leftSection={<PlusIcon />} onClick={() => setEditing({ hook: null })} disabled={full}>
          Add webhook
        </Button>
      }
    >
      <Read of={webhooks} failed="Could not load the webhooks" loading="Loading the webhooks">
        {() => (
          <>
            <Text size="sm" c="dimmed" className={styles.figure} role="status">
              {summary(hooks)}
              {full && ' This is the limit: remove one to add another.'}
            </Text>
            <div className={styles.card}>
              {hooks.length === 0 ? (
                <EmptyState title="No webhooks yet">
                  For example, notify a chat or pager when blocking is incomplete or a reload is refused.
                </EmptyState>
              ) : (
                <WebhookTable
                  hooks={hooks}
                  stale={webhooks.error !== null}
                  retrying={set.isPending ? set.variables.id : null}
                  onEdit={(hook) => setEditing({ hook })}
                  onRemove={setRemoving}
                  onRetry={(hook) => void retryNow(hook)}
                />
              )}
            </div>
          </>
        )}
      </Read>
      {editing !== null && (
        <WebhookDialog hook={editing.hook} usedNames={hooks.map(({ id }) => id)} onClose={() => setEditing(null)} />
      )}
      <RemoveWebhookDialog hook={removing} onClose={() => setRemoving(null)} />
    </PageFrame>
  );
}

function summary(hooks: readonly Webhook[]): string {
  const failing = hooks.filter((hook) => webhookState(hook) === 'failing').length;
  const count = `${hooks.length} ${hooks.length === 1 ? 'webhook' : 'webhooks'}`;
  return failing === 0 ? `${count}.` : `${count}, ${failing} failing.`;
}
