import { Mutex } from '../concurrency/mutex.ts';
import { causeText, type Log } from '../telemetry/log.ts';

/** Shows key authorizations to the authority. */
export interface ChallengeResponder {
  /**
   * All that are to be answered, by token, and no others. Returns when every current worker was read back to hold them;
   * throws otherwise.
   */
  show(entries: ReadonlyMap<string, string>): Promise<void>;
}

interface BoardDeps {
  /** Of all open orders. */
  readonly challenges: () => Promise<ReadonlyMap<string, string>>;
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
      const challenges = await this.#deps.challenges();
      try {
        await this.#deps.responder.show(challenges);
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
