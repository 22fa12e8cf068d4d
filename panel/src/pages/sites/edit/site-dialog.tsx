import { Alert, Button, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { fetchServerStates, useSetSite } from '../../../api/sites.ts';
import type { Site } from '../../../api/types.ts';
import { Dialog, DialogButtons } from '../../../parts/dialog.tsx';
import { PlusIcon } from '../../../parts/icons.tsx';
import { ProblemAlert } from '../../../parts/problem-alert.tsx';
import { ReloadFailure } from '../../../parts/reload-failure.tsx';
import { ReplaceConsent } from '../../../parts/replace-consent.tsx';
import styles from '../../../parts/styles.module.css';
import { toast } from '../../../parts/toasts.tsx';
import { useApi } from '../../../session/session.ts';
import { savedWords } from '../saved-words.ts';
import { asciiDomain } from './ascii-domain.ts';
import { failureTitle } from './failure-title.ts';
import { NameFields } from './name-fields.tsx';
import { RedirectFields } from './redirect-fields.tsx';
import { emptyDraft, type ServerDraft } from './server-draft.ts';
import { ServerFields } from './server-fields.tsx';
import { isCompleteSite, type SiteDraft, siteDraftOf, siteFaultsOf, siteRequestOf } from './site-draft.ts';

interface SiteDialogProps {
  /** The site to edit; null: a new one. */
  readonly site: Site | null;
  readonly sites: readonly Site[];
  readonly onClose: () => void;
}

const maxServers = 100;

export function SiteDialog({ site, sites, onClose }: SiteDialogProps) {
  const api = useApi();
  const set = useSetSite();
  const [draft, setDraft] = useState(() => siteDraftOf(site));
  const edit = (change: Partial<SiteDraft>): void => setDraft({ ...draft, ...change });
  const { domain, servers } = draft;
  const ascii = site === null ? asciiDomain(domain) : null;
  const faults = siteFaultsOf(draft, site, sites);
  const ready = isCompleteSite(draft, faults);
  const changedMeanwhile =
    site !== null && sites.find(({ domain: name }) => name === site.domain)?.updated_at !== site.updated_at;

  const close = (): void => {
    // A running change continues, and its result should be seen.
    if (!set.isPending) onClose();
  };
  const save = (replace: boolean): void => {
    if (!ready) return;
    const request = { domain: domain.trim().toLowerCase(), site: siteRequestOf(draft), replace };
    set.mutate(request, {
      onSuccess: async (saved) => {
        onClose();
        // The site is saved whether or not this query succeeds; the page itself reports failed queries.
        const states = await fetchServerStates(api, saved.domain).catch(() => null);
        toast(savedWords(saved, states === null ? null : states.items));
      },
    });
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    save(false);
  };
  const change = (server: ServerDraft): void =>
    edit({ servers: servers.map((one) => (one.id === server.id ? server : one)) });
  const add = (): void => edit({ servers: [...servers, emptyDraft(Math.max(...servers.map(({ id }) => id)) + 1)] });

  return (
    <Dialog title={site === null ? 'Add site' : `Edit ${site.domain}`} size="xl" onClose={close}>
      <form onSubmit={submit}>
        <Stack gap="md">
          {site === null && (
            <TextInput
              label="Domain"
              placeholder="shop.example.com"
              value={domain}
              onChange={(event) => edit({ domain: event.currentTarget.value })}
              error={faults.domain ?? null}
              data-autofocus
              required
              withAsterisk={false}
              autoComplete="off"
              spellCheck={false}
            />
          )}
          {ascii !== null && (
            <Button variant="default" size="compact-sm" w="fit-content" onClick={() => edit({ domain: ascii })}>
              Use {ascii}
            </Button>
          )}
          {changedMeanwhile && (
            <Alert color="orange" variant="light" title="Changed in the meantime">
              Another client changed or removed this site since you opened it. Saving overwrites its changes.
            </Alert>
          )}
          <NameFields draft={draft} faults={faults} onChange={edit} />
          <NativeSelect
            label="Requests are"
            data={[
              { value: 'servers', label: 'sent to servers' },
              { value: 'redirect', label: 'redirected to another address' },
            ]}
            value={draft.answers}
            onChange={(event) => edit({ answers: event.currentTarget.value as SiteDraft['answers'] })}
          />
          {draft.answers === 'redirect' ? (
            <RedirectFields draft={draft} fault={faults.to} onChange={edit} />
          ) : (
            <>
              {servers.map((server, index) => (
                <ServerFields
                  key={server.id}
                  draft={server}
                  number={index + 1}
                  onChange={change}
                  onRemove={
                    servers.length === 1 ? null : () => edit({ servers: servers.filter(({ id }) => id !== server.id) })
                  }
                />
              ))}
              {faults.servers !== undefined && (
                <Text size="sm" role="alert" data-tone="bad" className={styles.tone}>
                  {faults.servers}
                </Text>
              )}
              <Button
                variant="default"
                leftSection={<PlusIcon />}
                onClick={add}
                disabled={servers.length >= maxServers}
                w="fit-content"
              >
                Add server
              </Button>
            </>
          )}
          {set.error !== null && (
            <ProblemAlert title={failureTitle(set.error)} error={set.error}>
              <ReloadFailure error={set.error} />
              <ReplaceConsent error={set.error} busy={set.isPending} onReplace={() => save(true)} />
            </ProblemAlert>
          )}
          <DialogButtons
            onCancel={close}
            busy={set.isPending}
            note={
              set.isPending
                ? 'HAProxy validates and reloads the configuration…'
                : 'HAProxy validates the change before it goes live.'
            }
          >
            <Button type="submit" disabled={!ready} loading={set.isPending}>
              {site === null ? 'Add site' : 'Save changes'}
            </Button>
          </DialogButtons>
        </Stack>
      </form>
    </Dialog>
  );
}
