import { Text } from '@mantine/core';
import { useRemoveSite, useSetSite } from '../../api/sites.ts';
import type { Site } from '../../api/types.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { ReloadFailure } from '../../parts/reload-failure.tsx';
import { reloadWords } from '../../parts/reload-words.ts';
import { ReplaceConsent } from '../../parts/replace-consent.tsx';
import { toast, toastProblem } from '../../parts/toasts.tsx';
import { savedWords } from './saved-words.ts';

export interface RemoveSiteDialogProps {
  /** Null: none is asked about. */
  readonly site: Site | null;
  readonly onClose: () => void;
}

export function RemoveSiteDialog({ site, onClose }: RemoveSiteDialogProps) {
  const remove = useRemoveSite();
  const set = useSetSite();
  if (site === null) return null;
  const { domain, servers } = site;
  const undo = async (): Promise<void> => {
    try {
      const saved = await set.mutateAsync({ domain, servers });
      if (saved.served === false) toast(savedWords(saved, null));
      else toast({ title: `${domain} is served again`, words: reloadWords(saved.reload) });
    } catch (error) {
      toastProblem(`${domain} is still not served`, error);
    }
  };
  const removeIt = async (replace: boolean): Promise<void> => {
    const { reload } = await remove.mutateAsync({ domain, replace });
    toast({
      title: `${domain} is not served any more`,
      words: reloadWords(reload),
      action: { label: 'Undo', run: () => void undo() },
    });
  };
  return (
    <Confirm
      title={`Remove ${domain}?`}
      action="Remove the site"
      onClose={onClose}
      failure={(error) => (
        <>
          <ReloadFailure error={error} />
          <ReplaceConsent
            error={error}
            action="Replace the live configuration"
            busy={remove.isPending}
            onReplace={() =>
              void removeIt(true).then(onClose, (why: unknown) => toastProblem(`${domain} is still served`, why))
            }
          />
        </>
      )}
      onConfirm={() => removeIt(false)}
    >
      <Text size="sm">
        Its visitors are told “no such site” from then on.{' '}
        {servers.length === 1 ? 'Its server goes' : `Its ${servers.length} servers go`} out of the proxy’s configuration
        by a safe reload; nothing is done to {servers.length === 1 ? 'it' : 'them'}.
      </Text>
    </Confirm>
  );
}
