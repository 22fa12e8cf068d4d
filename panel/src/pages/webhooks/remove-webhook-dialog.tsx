import { Text } from '@mantine/core';
import { counted } from '../../../../src/domain/counted.ts';
import type { Webhook } from '../../api/types.ts';
import { useRemoveWebhook } from '../../api/webhooks.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { toast } from '../../parts/toasts.tsx';

interface RemoveWebhookDialogProps {
  readonly hook: Webhook | null;
  readonly onClose: () => void;
}

export function RemoveWebhookDialog({ hook, onClose }: RemoveWebhookDialogProps) {
  const remove = useRemoveWebhook();
  if (hook === null) return null;
  const { id, pending } = hook;
  return (
    <Confirm
      title={`Remove webhook ${id}?`}
      action="Remove webhook"
      onClose={onClose}
      onConfirm={async () => {
        await remove.mutateAsync(id);
        toast({ title: `Webhook ${id} removed` });
      }}
    >
      <Text size="sm">
        No more events are sent to it
        {pending > 0 && `, and ${counted(pending, 'queued event is', 'queued events are')} dropped`}. Its secret is
        deleted: a new webhook of this name gets another one. To pause deliveries, disable the webhook instead.
      </Text>
    </Confirm>
  );
}
