import { crashPoint } from '../faults/crash-point.ts';
import { causeText } from '../telemetry/cause-text.ts';
import type { Log } from '../telemetry/log.ts';

/** Files of removed certificates, with their keys. */
export class UndeletedFiles {
  readonly #remove: (id: string) => Promise<unknown>;
  readonly #log: Pick<Log, 'error'>;
  readonly #reasons = new Map<string, string>();

  constructor(remove: (id: string) => Promise<unknown>, log: Pick<Log, 'error'>) {
    this.#remove = remove;
    this.#log = log;
  }

  get size(): number {
    return this.#reasons.size;
  }

  /** By id, why they are still there. */
  get reasons(): ReadonlyMap<string, string> {
    return this.#reasons;
  }

  /** A failure is kept, and logged once. False: it is still there. Never throws. */
  async delete(id: string): Promise<boolean> {
    try {
      await this.#remove(id);
      this.#reasons.delete(id);
    } catch (error) {
      const cause = causeText(error);
      if (this.#reasons.get(id) !== cause) {
        this.#log.error('File of a removed certificate could not be deleted', { certificate: id, cause });
      }
      this.#reasons.set(id, cause);
      return false;
    }
    crashPoint('tls.file-removed');
    return true;
  }

  async retry(): Promise<void> {
    for (const id of this.#reasons.keys()) await this.delete(id);
  }
}
