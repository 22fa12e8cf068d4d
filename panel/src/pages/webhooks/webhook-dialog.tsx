import { Alert, Button, Group, Stack, Switch, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import type { Webhook } from '../../api/types.ts';
import { useSetWebhook } from '../../api/webhooks.ts';
import { Dialog, DialogButtons } from '../../parts/dialog.tsx';
import { NameField } from '../../parts/name-field.tsx';
import { nameFault } from '../../parts/plain-name.ts';
import { changeTitle, ProblemAlert, sentence } from '../../parts/problem-alert.tsx';
import styles from '../../parts/styles.module.css';
import { toast } from '../../parts/toasts.tsx';
import { EventTypesField } from './event-types-field.tsx';
import { SecretShown } from './secret-shown.tsx';
import { draftOf, isUnencrypted, newSecret, settingsOf, urlFault } from './webhook-draft.ts';

interface WebhookDialogProps {
  /** The webhook to edit; null: a new one. */
  readonly hook: Webhook | null;
  readonly usedNames: readonly string[];
  readonly onClose: () => void;
}

export function WebhookDialog({ hook, usedNames, onClose }: WebhookDialogProps) {
  const [shown, setShown] = useState<{ readonly id: string; readonly secret: string } | null>(null);
  const title = hook === null ? 'Add webhook' : `Edit webhook ${hook.id}`;
  return (
    <Dialog
      title={shown === null ? title : `Secret of ${shown.id}`}
      size="lg"
      // The secret is shown only once.
      dismissible={shown === null}
      onClose={onClose}
    >
      {shown === null ? (
        <WebhookForm hook={hook} usedNames={usedNames} onSecret={setShown} onClose={onClose} />
      ) : (
        <SecretShown secret={shown.secret} onClose={onClose} />
      )}
    </Dialog>
  );
}

interface WebhookFormProps extends WebhookDialogProps {
  readonly onSecret: (secret: { readonly id: string; readonly secret: string }) => void;
}

function WebhookForm({ hook, usedNames, onSecret, onClose }: WebhookFormProps) {
  const set = useSetWebhook();
  const [draft, setDraft] = useState(() => draftOf(hook));
  const [renew, setRenew] = useState(false);
  const change = (part: Partial<typeof draft>): void => setDraft({ ...draft, ...part });
  const nameError =
    hook === null ? nameFault(draft.id, usedNames, 'This webhook already exists. Edit it instead.') : null;
  const urlError = urlFault(draft.url);
  const noEvents = !draft.everything && draft.types.length === 0;

  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (nameError !== null || urlError !== null || noEvents) return;
    const settings = settingsOf(draft);
    const own = renew ? newSecret() : settings.secret;
    set.mutate(
      { ...settings, secret: own },
      {
        onSuccess: ({ id, secret }) => {
          const visible = renew ? own : secret;
          toast({ title: `Webhook ${id} ${hook === null ? 'added' : 'changed'}` });
          if (visible === null) onClose();
          else onSecret({ id, secret: visible });
        },
      },
    );
  };

  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        {hook === null && (
          <NameField
            description="For example, name the receiver: chat, pager."
            placeholder="pager"
            value={draft.id}
            onChange={(id) => change({ id })}
            fault={nameError}
          />
        )}
        <TextInput
          label="URL"
          description="Receives each event as a POST request, and must answer with 2xx within 10 seconds."
          placeholder="https://hooks.example.com/proxy"
          className={styles.monoInput}
          value={draft.url}
          onChange={(event) => change({ url: event.currentTarget.value })}
          error={draft.url.trim() === '' || urlError === null ? null : sentence(urlError)}
          maxLength={2048}
          required
          withAsterisk={false}
          autoComplete="off"
          spellCheck={false}
          {...(hook === null ? {} : { 'data-autofocus': true })}
        />
        {isUnencrypted(draft.url) && (
          <Alert color="orange" variant="light" title="Warning">
            Without https, every device on the network path can read the events.
          </Alert>
        )}
        <EventTypesField everything={draft.everything} types={draft.types} onChange={change} />
        <Group align="flex-end" gap="xs">
          <TextInput
            label="Secret"
            description={`Signs each delivery. ${
              hook === null ? 'Leave empty to generate one, shown once.' : 'Leave empty to keep the current one.'
            }`}
            placeholder={renew ? 'a new one, shown after saving' : 'whsec_…'}
            className={styles.monoInput}
            value={draft.secret}
            onChange={(event) => change({ secret: event.currentTarget.value })}
            disabled={renew}
            maxLength={128}
            flex={1}
            autoComplete="off"
            spellCheck={false}
          />
          {hook !== null && (
            <Button
              variant="default"
              aria-pressed={renew}
              onClick={() => {
                setRenew(!renew);
                change({ secret: '' });
              }}
            >
              {renew ? 'Keep secret' : 'Generate new secret'}
            </Button>
          )}
        </Group>
        <Switch
          label="Enabled"
          description="Events are not queued while disabled."
          checked={draft.enabled}
          onChange={(event) => change({ enabled: event.currentTarget.checked })}
        />
        {set.error !== null && (
          <ProblemAlert title={changeTitle(set.error, 'Could not save the webhook')} error={set.error} />
        )}
        <DialogButtons onCancel={onClose}>
          <Button
            type="submit"
            disabled={draft.id === '' || nameError !== null || urlError !== null || noEvents}
            loading={set.isPending}
          >
            {hook === null ? 'Add webhook' : 'Save changes'}
          </Button>
        </DialogButtons>
      </Stack>
    </form>
  );
}
