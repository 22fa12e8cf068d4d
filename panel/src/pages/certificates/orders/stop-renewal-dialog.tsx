import { Text } from '@mantine/core';
import { useStopRenewal } from '../../../api/acme.ts';
import type { AcmeCertificate } from '../../../api/types.ts';
import { Confirm } from '../../../parts/confirm.tsx';
import { toast } from '../../../parts/toasts.tsx';
import { titleOf } from '../certificate-table.tsx';

interface StopRenewalDialogProps {
  readonly certificate: AcmeCertificate | null;
  readonly onClose: () => void;
}

export function StopRenewalDialog({ certificate, onClose }: StopRenewalDialogProps) {
  const stop = useStopRenewal();
  if (certificate === null) return null;
  const { id, not_after: end } = certificate;
  const title = titleOf(certificate);
  return (
    <Confirm
      title={`Stop renewal of ${title}?`}
      action="Stop renewal"
      onClose={onClose}
      onConfirm={async () => {
        await stop.mutateAsync(id);
        toast({ title: `Renewal of ${title} stopped`, about: id, tone: 'good', words: 'Nothing is ordered any more.' });
      }}
    >
      <Text size="sm">
        {end === null
          ? 'Its order ends, and no certificate is issued.'
          : 'The certificate is served until it expires or you remove it. Browsers then show a warning.'}
      </Text>
    </Confirm>
  );
}
