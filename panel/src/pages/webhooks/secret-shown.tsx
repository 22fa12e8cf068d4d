import { ShownOnce } from '../../parts/shown-once.tsx';

interface SecretShownProps {
  readonly secret: string;
  readonly onClose: () => void;
}

export function SecretShown({ secret, onClose }: SecretShownProps) {
  return (
    <ShownOnce label="Webhook secret" secret={secret} onClose={onClose}>
      You will not be able to see this secret again. The receiver needs it to verify deliveries.
    </ShownOnce>
  );
}
