/**
 * The workers (`@1`, `@!4711`) that were sent a command and have not begun to reply. Further calls to them wait: if the
 * worker hangs, each command sent to it holds a slot until it replies, and with every slot held the other workers could
 * be neither changed nor verified.
 */
export class SilentTargets {
  readonly #waiting = new Map<string, Set<() => void>>();

  has(target: string): boolean {
    return this.#waiting.has(target);
  }

  /** The caller saw that the target is not silent, and calls `heard` once. */
  sent(target: string): void {
    this.#waiting.set(target, new Set());
  }

  /** It began to reply, or the call has ended. */
  heard(target: string): void {
    const waiting = this.#waiting.get(target) ?? [];
    this.#waiting.delete(target);
    for (const resume of waiting) this.wait(target, resume);
  }

  /**
   * Calls `resume` once, in the order of the callers, when the target is not silent: at once if it is not now.
   * @returns takes it back
   */
  wait(target: string, resume: () => void): () => void {
    const waiting = this.#waiting.get(target);
    if (waiting === undefined) resume();
    else waiting.add(resume);
    return () => void this.#waiting.get(target)?.delete(resume);
  }
}
