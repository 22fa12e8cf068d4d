import type { NewKey } from '../../api/types.ts';
import { ShownOnce } from '../../parts/shown-once.tsx';
import { accessLabel } from './scope-words.ts';

interface NewKeyShownProps {
  readonly created: NewKey;
  readonly onClose: () => void;
}

export function NewKeyShown({ created, onClose }: NewKeyShownProps) {
  return (
    <ShownOnce label="API key" secret={created.key} onClose={onClose}>
      You will not be able to see this key again. Access: {accessLabel(created.scopes)}.
    </ShownOnce>
  );
}
