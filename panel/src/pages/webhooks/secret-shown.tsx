import { ShownOnce } from '../../parts/shown-once.tsx';

export interface SecretShownProps {
  readonly secret: string;
  readonly onClose: () => void;
}

export function SecretShown({ secret, onClose }: SecretShownProps) {
  return (
    <ShownOnce label="The secret" secret={secret} onClose={onClose}>
      It cannot be shown again. The receiver needs it to check that a delivery is from here and is what was sent.
    </ShownOnce>
  );
}
