import { CannotUnseal, type SealedFor, type Sealer } from './sealed.ts';
import type { SecretUnusable } from './secret-file.ts';
import type { SecretText } from './secret-text.ts';

/** In place of a secret that cannot be used: says why, for each key. */
export class NoSealer implements Pick<Sealer, 'seal' | 'open'> {
  readonly #why: SecretUnusable;

  constructor(why: SecretUnusable) {
    this.#why = why;
  }

  /** Throws `SecretUnusable`. */
  seal(): never {
    throw this.#why;
  }

  /** Throws `CannotUnseal`. */
  open(_sealed: Uint8Array, row: SealedFor): SecretText {
    throw new CannotUnseal(row, this.#why.message);
  }
}
