import { Alert, Button, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { parseDomain } from '../../../../../src/domain/site.ts';
import { fetchServerStates, useSetSite } from '../../../api/sites.ts';
import type { Site } from '../../../api/types.ts';
import { Dialog, DialogButtons } from '../../../parts/dialog.tsx';
import { PlusIcon } from '../../../parts/icons.tsx';
import { ProblemAlert, sentence } from '../../../parts/problem-alert.tsx';
import { ReloadFailure } from '../../../parts/reload-failure.tsx';
import { ReplaceConsent } from '../../../parts/replace-consent.tsx';
import styles from '../../../parts/styles.module.css';
import { toast } from '../../../parts/toasts.tsx';
import { useApi } from '../../../session/session.ts';
import { savedWords } from '../saved-words.ts';
import { asciiDomain } from './ascii-domain.ts';
import { failureTitle } from './failure-title.ts';
import { draftOf, emptyDraft, isComplete, requestOf, type ServerDraft } from './server-draft.ts';
import { ServerFields } from './server-fields.tsx';

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
  const [domain, setDomain] = useState(site?.domain ?? '');
  const [drafts, setDrafts] = useState<readonly ServerDraft[]>(() => site?.servers.map(draftOf) ?? [emptyDraft(0)]);
  const fault = site === null ? domainFault(domain, sites) : null;
  const ascii = site === null ? asciiDomain(domain) : null;
  const duplicate = duplicateServer(drafts);
  const ready = domain.trim() !== '' && fault === null && duplicate === null && drafts.every(isComplete);
  const changedMeanwhile =
    site !== null && sites.find(({ domain: name }) => name === site.domain)?.updated_at !== site.updated_at;

  const close = (): void => {
    // A running change continues, and its result should be seen.
    if (!set.isPending) onClose();
  };
  const save = (replace: boolean): void => {
    if (!ready) return;
    const request = { domain: domain.trim().toLowerCase(), servers: drafts.map(requestOf), replace };
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
  const change = (draft: ServerDraft): void => setDrafts(drafts.map((one) => (one.id === draft.id ? draft : one)));
  const add = (): void => setDrafts([...drafts, emptyDraft(Math.max(...drafts.map(({ id }) => id)) + 1)]);

  return (
    <Dialog title={site === null ? 'Add site' : `Edit ${site.domain}`} size="xl" onClose={close}>
      <form onSubmit={submit}>
        <Stack gap="md">
          {site === null && (
            <TextInput
              label="Domain"
              description="Each domain is a separate site."
              placeholder="shop.example.com"
              value={domain}
              onChange={(event) => setDomain(event.currentTarget.value)}
              error={fault}
              inputWrapperOrder={['label', 'description', 'input', 'error']}
              data-autofocus
              required
              withAsterisk={false}
              autoComplete="off"
              spellCheck={false}
            />
          )}
          {ascii !== null && (
            <Button variant="default" size="compact-sm" w="fit-content" onClick={() => setDomain(ascii)}>
              Use {ascii}
            </Button>
          )}
          {changedMeanwhile && (
            <Alert color="orange" variant="light" title="Changed in the meantime">
              Another client changed or removed this site since you opened it. Saving overwrites its changes.
            </Alert>
          )}
          {drafts.map((draft, index) => (
            <ServerFields
              key={draft.id}
              draft={draft}
              number={index + 1}
              onChange={change}
              onRemove={drafts.length === 1 ? null : () => setDrafts(drafts.filter(({ id }) => id !== draft.id))}
            />
          ))}
          {duplicate !== null && (
            <Text size="sm" role="alert" data-tone="bad" className={styles.tone}>
              {duplicate} is listed twice. To send it more requests, raise its weight.
            </Text>
          )}
          <Button
            variant="default"
            leftSection={<PlusIcon />}
            onClick={add}
            disabled={drafts.length >= maxServers}
            w="fit-content"
          >
            Add server
          </Button>
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

function domainFault(text: string, sites: readonly Site[]): string | null {
  if (text.trim() === '') return null;
  const domain = parseDomain(text.trim());
  if (asciiDomain(text) !== null) return 'Use the xn-- form of this domain.';
  if (!domain.ok) return sentence(domain.why, text.trim());
  const exists = sites.some(({ domain: name }) => name === domain.value);
  return exists ? 'This site already exists. Edit it instead.' : null;
}

function duplicateServer(drafts: readonly ServerDraft[]): string | null {
  const seen = new Set<string>();
  for (const { address, port } of drafts) {
    const server = `${address.trim().toLowerCase()} port ${port.trim()}`;
    if (address.trim() !== '' && seen.has(server)) return server;
    seen.add(server);
  }
  return null;
}
