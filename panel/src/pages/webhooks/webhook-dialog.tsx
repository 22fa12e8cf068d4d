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
import { draftOf, isOpenToRead, settingsOf, urlFault } from './webhook-draft.ts';
import { newSecret } from './webhook-secret.ts';

export interface WebhookDialogProps {
  /** The one to change; null: a new one. */
  readonly hook: Webhook | null;
  /** Names of those that are there. */
  readonly taken: readonly string[];
  readonly onClose: () => void;
}

export function WebhookDialog({ hook, taken, onClose }: WebhookDialogProps) {
  const [made, setMade] = useState<{ readonly id: string; readonly secret: string } | null>(null);
  const title = hook === null ? 'Add a webhook' : `Change the webhook ${hook.id}`;
  return (
    <Dialog
      title={made === null ? title : `The secret of ${made.id}`}
      size="lg"
      // It is shown this once.
      easyToLeave={made === null}
      onClose={onClose}
    >
      {made === null ? (
        <WebhookForm hook={hook} taken={taken} onSecret={setMade} onClose={onClose} />
      ) : (
        <SecretShown secret={made.secret} onClose={onClose} />
      )}
    </Dialog>
  );
}

interface WebhookFormProps extends WebhookDialogProps {
  readonly onSecret: (made: { readonly id: string; readonly secret: string }) => void;
}

function WebhookForm({ hook, taken, onSecret, onClose }: WebhookFormProps) {
  const set = useSetWebhook();
  const [draft, setDraft] = useState(() => draftOf(hook));
  /** It was made here and nobody has seen it yet. */
  const [fresh, setFresh] = useState(false);
  const change = (part: Partial<typeof draft>): void => setDraft({ ...draft, ...part });
  const wrongName =
    hook === null ? nameFault(draft.id, taken, 'There is a webhook of this name: change that one.') : null;
  const wrongUrl = urlFault(draft.url);
  const nothing = !draft.everything && draft.types.length === 0;

  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (wrongName !== null || wrongUrl !== null || nothing) return;
    const settings = settingsOf(draft);
    const own = fresh ? newSecret() : settings.secret;
    set.mutate(
      { ...settings, secret: own },
      {
        onSuccess: ({ id, secret }) => {
          const shown = fresh ? own : secret;
          toast({ title: `The webhook ${id} is ${hook === null ? 'added' : 'changed'}` });
          if (shown === null) onClose();
          else onSecret({ id, secret: shown });
        },
      },
    );
  };

  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        {hook === null && (
          <NameField
            description="Of what hears it, such as chat or pager."
            placeholder="pager"
            value={draft.id}
            onChange={(id) => change({ id })}
            fault={wrongName}
          />
        )}
        <TextInput
          label="URL"
          description="Called with POST. It answers with 2xx within ten seconds what it has received."
          placeholder="https://hooks.example.com/proxy"
          className={styles.monoInput}
          value={draft.url}
          onChange={(event) => change({ url: event.currentTarget.value })}
          error={draft.url.trim() === '' || wrongUrl === null ? null : sentence(wrongUrl)}
          maxLength={2048}
          required
          withAsterisk={false}
          autoComplete="off"
          spellCheck={false}
          {...(hook === null ? {} : { 'data-autofocus': true })}
        />
        {isOpenToRead(draft.url) && (
          <Alert color="orange" variant="light" title="Look twice">
            Without https whoever is on the way can read what is sent.
          </Alert>
        )}
        <EventTypesField everything={draft.everything} types={draft.types} onChange={change} />
        <Group align="flex-end" gap="xs">
          <TextInput
            label="Secret"
            description={`What deliveries are signed with. ${
              hook === null ? 'Left empty, one is made and shown once.' : 'Left empty, it stays as it is.'
            }`}
            placeholder={fresh ? 'a new one, shown when it is saved' : 'whsec_…'}
            className={styles.monoInput}
            value={draft.secret}
            onChange={(event) => change({ secret: event.currentTarget.value })}
            disabled={fresh}
            maxLength={128}
            flex={1}
            autoComplete="off"
            spellCheck={false}
          />
          {hook !== null && (
            <Button
              variant="default"
              aria-pressed={fresh}
              onClick={() => {
                setFresh(!fresh);
                change({ secret: '' });
              }}
            >
              {fresh ? 'Keep the old one' : 'Make a new one'}
            </Button>
          )}
        </Group>
        <Switch
          label="Deliver"
          description="While it is switched off, nothing is kept for it."
          checked={draft.enabled}
          onChange={(event) => change({ enabled: event.currentTarget.checked })}
        />
        {set.error !== null && <ProblemAlert title={changeTitle(set.error, 'It was not saved')} error={set.error} />}
        <DialogButtons onCancel={onClose}>
          <Button
            type="submit"
            disabled={draft.id === '' || wrongName !== null || wrongUrl !== null || nothing}
            loading={set.isPending}
          >
            {hook === null ? 'Add it' : 'Save'}
          </Button>
        </DialogButtons>
      </Stack>
    </form>
  );
}
