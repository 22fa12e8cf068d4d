// Gives a source the claims that a key made before it was bound to it.

import type { TurnQueue } from '../concurrency/turn-queue.ts';
import type { ClaimsStore, MovedClaims } from '../store/claims-store.ts';
import type { BulkRunner } from './bulk/bulk-runner.ts';
import type { Sources } from './sources.ts';
import { changeFailure } from './write/change-failure.ts';

/** Blocked addresses of one turn: some 10 ms. */
const slice = 4_096;

interface ClaimMoverDeps {
  readonly claims: Pick<ClaimsStore, 'move'>;
  readonly sources: Pick<Sources, 'forAgent' | 'claimsAgain'>;
  readonly turns: TurnQueue;
  readonly bulk: Pick<BulkRunner, 'between'>;
}

export class ClaimMover {
  readonly #deps: ClaimMoverDeps;

  constructor(deps: ClaimMoverDeps) {
    this.#deps = deps;
  }

  /**
   * Moves all claims of `manual` by this author to the source, which is created as one of an agent if it is new. Moves
   * nothing if it runs again. Waits for a bulk change: one that drops the claims of either source has judged what is
   * moved behind it. Returns how many were moved.
   */
  async move(author: string, source: string): Promise<number> {
    return await this.#deps.bulk.between(() => this.#move(author, source));
  }

  async #move(author: string, source: string): Promise<number> {
    const claiming = await this.#deps.sources.forAgent(source);
    const { id: to } = claiming;
    let moved = 0;
    let after: Buffer | null = null;
    try {
      do {
        const from: Buffer | null = after;
        const done: MovedClaims = await this.#deps.turns.take('bulk', () =>
          this.#deps.claims.move({ author, to }, from, slice),
        );
        moved += done.moved;
        after = done.last;
      } while (after !== null);
      // Otherwise `keep` would say that what was moved was dropped.
      if (moved > 0) await this.#deps.sources.claimsAgain(claiming);
    } catch (error) {
      throw changeFailure(error);
    }
    return moved;
  }
}
