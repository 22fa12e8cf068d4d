import { inspect } from 'node:util';

const NOT_SHOWN = '(not shown)';

/** A text that messages, logs, JSON and `inspect` do not show. */
export class SecretText {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  reveal(): string {
    return this.#text;
  }

  toString(): string {
    return NOT_SHOWN;
  }

  toJSON(): string {
    return NOT_SHOWN;
  }

  [inspect.custom](): string {
    return `SecretText ${NOT_SHOWN}`;
  }
}
