import { causeText } from '../telemetry/cause-text.ts';
import type { Log } from '../telemetry/log.ts';

/** Files that could not be written, such as on a full disk, by what they are for. */
export class UnwrittenFiles {
  readonly #log: Pick<Log, 'error'>;
  readonly #reasons = new Map<string, string>();

  constructor(log: Pick<Log, 'error'>) {
    this.#log = log;
  }

  get size(): number {
    return this.#reasons.size;
  }

  get reasons(): ReadonlyMap<string, string> {
    return this.#reasons;
  }

  has(what: string): boolean {
    return this.#reasons.has(what);
  }

  delete(what: string): void {
    this.#reasons.delete(what);
  }

  /** A failure is kept, and logged once. False: so is this one, or `write` had nothing to write. Never throws. */
  async attempt(what: string, write: () => Promise<boolean>): Promise<boolean> {
    try {
      const isWritten = await write();
      this.#reasons.delete(what);
      return isWritten;
    } catch (error) {
      const cause = causeText(error);
      if (this.#reasons.get(what) !== cause) {
        this.#log.error('File of certificates could not be written', { what, cause });
      }
      this.#reasons.set(what, cause);
      return false;
    }
  }
}
