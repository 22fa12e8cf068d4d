import type { ChallengeType, OrderChallenge } from '../store/acme-orders-store.ts';
import { causeText, type Log } from '../telemetry/log.ts';

/** Shows key authorizations to the authority, in the way of one type of challenge. What there is to show is stored. */
export interface ChallengePresenter {
  /**
   * Before an authority is asked: whether challenges of these names would be shown. Throws otherwise. Returns what could
   * not be tested, a clause; null: nothing.
   */
  test(names: readonly string[]): Promise<string | null>;
  /** Returns when the authority can see these, which are stored, as `test` does. Throws otherwise. */
  show(challenges: readonly OrderChallenge[]): Promise<string | null>;
  /** Removes what no open order needs. */
  clear(): Promise<void>;
  /** When to call `clear` again, because something could not be removed; null: nothing is left. Absent: never. */
  readonly retryAt?: Date | null;
}

interface BoardDeps {
  readonly presenters: Readonly<Record<ChallengeType, ChallengePresenter>>;
  readonly log: Pick<Log, 'warn'>;
}

/** The authority would not see the challenges of an order. */
export class ChallengeNotShown extends Error {
  constructor(cause: unknown) {
    super(`the challenge cannot be answered: ${causeText(cause)}`, { cause });
    this.name = 'ChallengeNotShown';
  }
}

export class ChallengeBoard {
  readonly #deps: BoardDeps;
  /** Logged once. */
  #untested: string | null = null;

  constructor(deps: BoardDeps) {
    this.#deps = deps;
  }

  /** Before an authority is asked. Throws `ChallengeNotShown`. */
  async test(type: ChallengeType, names: readonly string[]): Promise<void> {
    await this.#with(type, (presenter) => presenter.test(names));
  }

  /** Throws `ChallengeNotShown`. */
  async show(type: ChallengeType, challenges: readonly OrderChallenge[]): Promise<void> {
    await this.#with(type, (presenter) => presenter.show(challenges));
  }

  /** After an order ended with its challenges. One that stays is useless, and the next change removes it. */
  async clear(): Promise<void> {
    for (const presenter of Object.values(this.#deps.presenters)) {
      try {
        await presenter.clear();
      } catch (error) {
        this.#deps.log.warn('Answer of a challenge not removed', { cause: causeText(error) });
      }
    }
  }

  /** Once it is time for it. */
  async retryClear(now: Date): Promise<void> {
    for (const { retryAt = null } of Object.values(this.#deps.presenters)) {
      if (retryAt !== null && retryAt <= now) return await this.clear();
    }
  }

  async #with(type: ChallengeType, work: (presenter: ChallengePresenter) => Promise<string | null>): Promise<void> {
    let untested: string | null;
    try {
      untested = await work(this.#deps.presenters[type]);
    } catch (error) {
      throw new ChallengeNotShown(error);
    }
    if (untested !== null && untested !== this.#untested) {
      this.#deps.log.warn('Answers to challenges not tested', { cause: untested });
    }
    this.#untested = untested;
  }
}
