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

export interface SiteDialogProps {
  /** The one to change; null: a new one. */
  readonly site: Site | null;
  readonly sites: readonly Site[];
  readonly onClose: () => void;
}

const mostServers = 100;

export function SiteDialog({ site, sites, onClose }: SiteDialogProps) {
  const api = useApi();
  const set = useSetSite();
  const [domain, setDomain] = useState(site?.domain ?? '');
  const [drafts, setDrafts] = useState<readonly ServerDraft[]>(() => site?.servers.map(draftOf) ?? [emptyDraft(0)]);
  const wrong = site === null ? domainFault(domain, sites) : null;
  const ascii = site === null ? asciiDomain(domain) : null;
  const twice = doubled(drafts);
  const ready = domain.trim() !== '' && wrong === null && twice === null && drafts.every(isComplete);
  const changedMeanwhile =
    site !== null && sites.find(({ domain: name }) => name === site.domain)?.updated_at !== site.updated_at;

  const close = (): void => {
    // What is under way goes on; the person should see what comes of it.
    if (!set.isPending) onClose();
  };
  const save = (replace: boolean): void => {
    if (!ready) return;
    const request = { domain: domain.trim().toLowerCase(), servers: drafts.map(requestOf), replace };
    set.mutate(request, {
      onSuccess: async (saved) => {
        onClose();
        // Where they cannot be asked, the page says so itself: the site is live all the same.
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
    <Dialog title={site === null ? 'Add a site' : `Change ${site.domain}`} size="xl" onClose={close}>
      <form onSubmit={submit}>
        <Stack gap="md">
          {site === null && (
            <TextInput
              label="Name"
              description="As visitors write it. Each name is a site of its own."
              placeholder="shop.example.com"
              value={domain}
              onChange={(event) => setDomain(event.currentTarget.value)}
              error={wrong}
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
            <Alert color="orange" variant="light" title="It was changed meanwhile">
              Somebody changed or removed this site since you opened it. Saving puts what stands here in its place.
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
          {twice !== null && (
            <Text size="sm" role="alert" data-tone="bad" className={styles.tone}>
              {twice} stands here twice. To give it more of the requests, raise its weight.
            </Text>
          )}
          <Button
            variant="default"
            leftSection={<PlusIcon />}
            onClick={add}
            disabled={drafts.length >= mostServers}
            w="fit-content"
          >
            Add a server
          </Button>
          {set.error !== null && (
            <ProblemAlert title={failureTitle(set.error)} error={set.error}>
              <ReloadFailure error={set.error} />
              <ReplaceConsent
                error={set.error}
                action="Replace the live configuration"
                busy={set.isPending}
                onReplace={() => save(true)}
              />
            </ProblemAlert>
          )}
          <DialogButtons
            onCancel={close}
            held={set.isPending}
            note={
              set.isPending
                ? 'HAProxy checks it and is reloaded. This takes a moment.'
                : 'HAProxy checks it before it is live.'
            }
          >
            <Button type="submit" disabled={!ready} loading={set.isPending}>
              {site === null ? 'Add the site' : 'Save'}
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
  if (asciiDomain(text) !== null) return 'Only the xn-- form of this name can be served.';
  if (!domain.ok) return sentence(domain.why, text.trim());
  const there = sites.some(({ domain: name }) => name === domain.value);
  return there ? 'There is a site of this name. Change that one.' : null;
}

/** A server that stands there twice; null: none does. */
function doubled(drafts: readonly ServerDraft[]): string | null {
  const seen = new Set<string>();
  for (const { address, port } of drafts) {
    const server = `${address.trim().toLowerCase()} port ${port.trim()}`;
    if (address.trim() !== '' && seen.has(server)) return server;
    seen.add(server);
  }
  return null;
}
