import { Text } from '@mantine/core';
import { fetchSiteTls, useSetSiteTls } from '../../api/site-tls.ts';
import { useRemoveSite, useSetSite } from '../../api/sites.ts';
import type { Site, SiteTls } from '../../api/types.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { ReloadFailure } from '../../parts/reload-failure.tsx';
import { reloadWords } from '../../parts/reload-words.ts';
import { ReplaceConsent } from '../../parts/replace-consent.tsx';
import { toast, toastProblem } from '../../parts/toasts.tsx';
import { useApi } from '../../session/session.ts';
import { siteRequestFor } from './edit/site-draft.ts';
import { savedWords } from './saved-words.ts';
import { wishes } from './tls/tls-words.ts';

type SettledTls = PromiseSettledResult<SiteTls>;

interface RemoveSiteDialogProps {
  readonly site: Site | null;
  readonly onClose: () => void;
}

export function RemoveSiteDialog({ site, onClose }: RemoveSiteDialogProps) {
  const remove = useRemoveSite();
  const set = useSetSite();
  const setTls = useSetSiteTls();
  const api = useApi();
  if (site === null) return null;
  const { domain, servers } = site;
  const undo = async (tls: SettledTls): Promise<void> => {
    try {
      const saved = await set.mutateAsync({ domain, site: siteRequestFor(site) });
      if (saved.served) toast({ title: `${domain} restored`, words: reloadWords(saved.reload) });
      else toast(savedWords(saved, null));
    } catch (error) {
      toastProblem(`Could not restore ${domain}`, error);
      return;
    }
    try {
      if (tls.status === 'rejected') throw tls.reason;
      const { redirect, hsts } = tls.value;
      if (wishes(tls.value).length > 0) await setTls.mutateAsync({ domain, body: { redirect, hsts } });
    } catch (error) {
      toastProblem(`${domain} restored, but not its TLS settings`, error);
    }
  };
  const removeIt = async (replace: boolean): Promise<void> => {
    // They are removed with the site. Without them it is removed too, and Undo says what it could not restore.
    const [tls] = await Promise.allSettled([fetchSiteTls(api, domain)]);
    const { reload } = await remove.mutateAsync({ domain, replace });
    toast({
      title: `${domain} removed`,
      words: reloadWords(reload),
      action: { label: 'Undo', run: () => void undo(tls) },
    });
  };
  return (
    <Confirm
      title={`Remove ${domain}?`}
      action="Remove site"
      onClose={onClose}
      failure={(error) => (
        <>
          <ReloadFailure error={error} />
          <ReplaceConsent
            error={error}
            busy={remove.isPending}
            onReplace={() =>
              void removeIt(true).then(onClose, (why: unknown) => toastProblem(`Could not remove ${domain}`, why))
            }
          />
        </>
      )}
      onConfirm={() => removeIt(false)}
    >
      <Text size="sm">
        Visitors of its names then get 404 “no such site”.{' '}
        {servers.length > 0 && (
          <>
            A safe reload removes {servers.length === 1 ? 'its server' : `its ${servers.length} servers`} from the
            HAProxy configuration. The {servers.length === 1 ? 'server itself is' : 'servers themselves are'} not
            touched.
          </>
        )}
      </Text>
    </Confirm>
  );
}
