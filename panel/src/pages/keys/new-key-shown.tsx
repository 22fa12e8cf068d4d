import type { NewKey } from '../../api/types.ts';
import { ShownOnce } from '../../parts/shown-once.tsx';
import { mayWords } from './scope-words.ts';

export interface NewKeyShownProps {
  readonly made: NewKey;
  readonly onClose: () => void;
}

export function NewKeyShown({ made, onClose }: NewKeyShownProps) {
  return (
    <ShownOnce label="The key itself" secret={made.key} onClose={onClose}>
      It is not kept, and cannot be shown again. Whoever has it may {mayWords(made.scopes).toLowerCase()}.
    </ShownOnce>
  );
}
