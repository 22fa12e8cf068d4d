// What the service stored of denied requests: a sum that never falls, whatever happens.
import { eventually } from '../testkit/conditions.ts';
import { sizesOf } from './soak/sizes.ts';
import type { ChaosStack } from './stack.ts';
import type { Story } from './story.ts';

/** It is stored once a minute. */
const storedWithinMs = 150_000;
/** After fewer rounds it would only be waited for. */
const roundsWithSum = 10;

export class CountedRequests {
  readonly #stack: ChaosStack;
  #stored = 0;
  #checks = 0;

  constructor(stack: ChaosStack) {
    this.#stack = stack;
  }

  check(story: Story): void {
    this.#checks += 1;
    const { denied } = sizesOf(this.#stack.service.paths.database);
    if (denied < this.#stored) story.addBroken(`${denied} denied requests are stored, but ${this.#stored} were before`);
    this.#stored = Math.max(denied, this.#stored);
  }

  /** The checks before would prove nothing if no request was counted. */
  async finish(story: Story): Promise<void> {
    if (this.#checks < roundsWithSum) return;
    try {
      await eventually(
        'denied requests are stored',
        () => sizesOf(this.#stack.service.paths.database).denied > 0,
        storedWithinMs,
        1_000,
      );
    } catch (error) {
      story.addBroken((error as Error).message);
    }
  }
}
