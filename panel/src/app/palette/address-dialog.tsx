import { useTrusted } from '../../api/trusted-ips.ts';
import { BlockDialog } from '../../pages/blocked/block/block-dialog.tsx';
import { UnblockDialog } from '../../pages/blocked/unblock/unblock-dialog.tsx';
import { TrustDialog } from '../../pages/trusted/trust-dialog.tsx';
import type { AddressAction } from './address-commands.ts';

interface AddressDialogProps {
  readonly action: AddressAction;
  readonly onClose: () => void;
}

/** What a command of the palette opens. It shows what will happen: a command is run by one key. */
export default function AddressDialog({ action: { kind, ip }, onClose }: AddressDialogProps) {
  const trusted = useTrusted().data?.items ?? [];
  if (kind === 'block') return <BlockDialog entry={null} address={ip} onClose={onClose} />;
  if (kind === 'unblock') return <UnblockDialog ip={ip} onClose={onClose} />;
  return <TrustDialog entry={null} address={ip} trusted={trusted} onClose={onClose} />;
}
