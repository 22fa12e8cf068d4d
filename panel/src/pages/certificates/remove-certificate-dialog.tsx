import { Stack, Text } from '@mantine/core';
import { counted } from '../../../../src/domain/counted.ts';
import { useRemoveCertificate } from '../../api/certificates.ts';
import type { Certificate } from '../../api/types.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { toast } from '../../parts/toasts.tsx';
import { titleOf } from './certificate-table.tsx';
import { removedWords } from './certificate-words.ts';

const shownSites = 5;

interface RemoveCertificateDialogProps {
  readonly certificate: Certificate | null;
  readonly onClose: () => void;
}

export function RemoveCertificateDialog({ certificate, onClose }: RemoveCertificateDialogProps) {
  const remove = useRemoveCertificate();
  if (certificate === null) return null;
  const { id, sites, sites_total: total } = certificate;
  const more = total - Math.min(shownSites, sites.length);
  return (
    <Confirm
      title={`Remove certificate of ${titleOf(certificate)}?`}
      action="Remove certificate"
      onClose={onClose}
      onConfirm={async () => {
        // The dialog named the sites. If it named none, one that began to use it since then still prevents the removal.
        const answer = await remove.mutateAsync({ id, force: total > 0 });
        toast({ title: `Certificate of ${titleOf(certificate)} removed`, about: id, ...removedWords(answer) });
      }}
    >
      <Stack gap="xs">
        <Text size="sm">
          HAProxy stops serving it at once, and its private key is deleted. To bring it back, upload it again.
        </Text>
        {total > 0 && (
          <Text size="sm">
            {counted(total, 'site uses', 'sites use')} it: {sites.slice(0, shownSites).join(', ')}
            {more > 0 && ` and ${more} more`}. Browsers then show a warning instead of the site.
          </Text>
        )}
      </Stack>
    </Confirm>
  );
}
