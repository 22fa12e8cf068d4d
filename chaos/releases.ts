// What the releases and keeps of a round mean for the claims of the agent. A release drops them at an unknown moment.
import { absent, type Pending } from './model.ts';

interface Release {
  readonly begun: number;
  readonly ended: number;
  /** Of every claim that it may drop. */
  readonly pending: readonly Pending[];
}

export class Releases {
  #due: Release[] = [];
  /** One that is due after the round. */
  #far = false;
  #keepsUnderWay = 0;
  #lastKeepEnded = Number.NEGATIVE_INFINITY;
  /** Two overlapped, or the outcome of one is unknown: until the end of the round each claim may be there or not. */
  #uncertain = false;

  released(release: Release): void {
    if (this.#keepsUnderWay > 0 || release.begun < this.#lastKeepEnded || this.#far) this.#uncertain = true;
    this.#due.push(release);
  }

  releasedForLater(): void {
    if (this.#due.length > 0 || this.#keepsUnderWay > 0) this.#uncertain = true;
    this.#far = true;
  }

  lost(): void {
    this.#uncertain = true;
  }

  keeping(): void {
    this.#keepsUnderWay += 1;
  }

  /** @param kept null: no answer */
  kept(begun: number, ended: number, kept: boolean | null): void {
    this.#keepsUnderWay -= 1;
    this.#lastKeepEnded = ended;
    if (kept !== true || this.#due.some((release) => release.ended > begun)) this.#uncertain = true;
    if (this.#uncertain) return;
    // It took each of them back before the drop.
    for (const { pending } of this.#due) for (const one of pending) one.refused();
    this.#due = [];
    this.#far = false;
  }

  /** All that were due have dropped the claims. */
  settle(at: number): void {
    if (this.#uncertain) return;
    for (const { pending } of this.#due) for (const one of pending) one.done(at, [absent], true);
    this.#due = [];
  }
}
