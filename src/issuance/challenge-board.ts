import { Mutex } from '../concurrency/mutex.ts';
import { causeText, type Log } from '../telemetry/log.ts';

/** Shows key authorizations to the authority. */
export interface ChallengeResponder {
  /**
   * Those of `AcmeOrdersStore.challenges`, and no others. Returns when every current worker was read back to hold them;
   * throws otherwise.
   */
  show(): Promise<void>;
}

interface BoardDeps {
  readonly responder: ChallengeResponder;
  readonly log: Pick<Log, 'warn'>;
}

/** HAProxy does not answer the challenges of an order. */
export class ChallengeNotShown extends Error {
  constructor(cause: unknown) {
    super(`HAProxy does not answer the challenge: ${causeText(cause)}`, { cause });
    this.name = 'ChallengeNotShown';
  }
}

/** What is stored is shown; one change at a time. */
export class ChallengeBoard {
  readonly #deps: BoardDeps;
  readonly #changes = new Mutex();

  constructor(deps: BoardDeps) {
    this.#deps = deps;
  }

  /** Throws `ChallengeNotShown`. */
  async show(): Promise<void> {
    await this.#changes.run(async () => {
      try {
        await this.#deps.responder.show();
      } catch (error) {
        throw new ChallengeNotShown(error);
      }
    });
  }

  /** After an order ended with its challenges. One that stays is useless, and the next change removes it. */
  async clear(): Promise<void> {
    try {
      await this.show();
    } catch (error) {
      if (!(error instanceof ChallengeNotShown)) throw error;
      this.#deps.log.warn('Answer of a challenge not removed', { cause: error.message });
    }
  }
}
