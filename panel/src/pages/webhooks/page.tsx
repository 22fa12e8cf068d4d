import { Button, Text } from '@mantine/core';
import { useState } from 'react';
import type { Webhook } from '../../api/types.ts';
import { useSetWebhook, useWebhooks } from '../../api/webhooks.ts';
import { AdminPage } from '../../parts/admin-page.tsx';
import { PlusIcon } from '../../parts/icons.tsx';
import { NothingHere } from '../../parts/nothing-here.tsx';
import { PageFrame } from '../../parts/page-frame.tsx';
import { Read } from '../../parts/read.tsx';
import styles from '../../parts/styles.module.css';
import { toast, toastProblem } from '../../parts/toasts.tsx';
import { RemoveWebhookDialog } from './remove-webhook-dialog.tsx';
import { WebhookDialog } from './webhook-dialog.tsx';
import { webhookState } from './webhook-state.ts';
import { WebhookTable } from './webhook-table.tsx';

/** The service keeps no more. */
const most = 20;

export default function WebhooksPage() {
  return (
    <AdminPage title="Webhooks" what="webhooks">
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
  const full = hooks.length >= most;

  // What is set anew begins at once, and not after the pause.
  const tryNow = async ({ id, url, events, enabled }: Webhook): Promise<void> => {
    try {
      await set.mutateAsync({ id, url, events, enabled, secret: null });
      toast({ title: `${id} is tried now`, words: 'The list says what comes of it.', tone: 'unknown' });
    } catch (error) {
      toastProblem(`${id} is not tried now`, error);
    }
  };

  return (
    <PageFrame
      title="Webhooks"
      about="What happens here, sent to a URL of yours: in order, signed, and tried again until it is received."
      actions={
        <Button leftSection={<PlusIcon />} onClick={() => setEditing({ hook: null })} disabled={full}>
          Add a webhook
        </Button>
      }
    >
      <Read of={webhooks} failed="The webhooks could not be read" loading="Reading the webhooks">
        {() => (
          <>
            <Text size="sm" c="dimmed" className={styles.figure} role="status">
              {summary(hooks)}
              {full && ` These are all that the service keeps: remove one to add another.`}
            </Text>
            <div className={styles.card}>
              {hooks.length === 0 ? (
                <NothingHere title="No webhook yet">
                  Let your chat or your pager hear of it at once when blocking is not enforced, or a reload is refused.
                </NothingHere>
              ) : (
                <WebhookTable
                  hooks={hooks}
                  stale={webhooks.error !== null}
                  trying={set.isPending ? set.variables.id : null}
                  onEdit={(hook) => setEditing({ hook })}
                  onRemove={setRemoving}
                  onTry={(hook) => void tryNow(hook)}
                />
              )}
            </div>
          </>
        )}
      </Read>
      {editing !== null && (
        <WebhookDialog hook={editing.hook} taken={hooks.map(({ id }) => id)} onClose={() => setEditing(null)} />
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
