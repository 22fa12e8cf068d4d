import { Text } from '@mantine/core';
import type { Webhook } from '../../api/types.ts';
import { useRemoveWebhook } from '../../api/webhooks.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { toast } from '../../parts/toasts.tsx';

export interface RemoveWebhookDialogProps {
  /** Null: none is asked about. */
  readonly hook: Webhook | null;
  readonly onClose: () => void;
}

export function RemoveWebhookDialog({ hook, onClose }: RemoveWebhookDialogProps) {
  const remove = useRemoveWebhook();
  if (hook === null) return null;
  const { id, pending } = hook;
  return (
    <Confirm
      title={`Remove the webhook ${id}?`}
      action="Remove the webhook"
      onClose={onClose}
      onConfirm={async () => {
        await remove.mutateAsync(id);
        toast({ title: `The webhook ${id} is removed` });
      }}
    >
      <Text size="sm">
        Nothing is sent to it any more
        {pending > 0 && `, and what waits for it (${pending.toLocaleString()}) is not delivered`}. Its secret goes with
        it: one of the same name gets another. To stop it for a while, switch it off instead.
      </Text>
    </Confirm>
  );
}
