import type { RoundResult } from './round.ts';

export class Summary {
  #rounds = 0;
  readonly #failed: number[] = [];
  #operations = 0;
  #requests = 0;
  #slowest = 0;
  #slow = 0;
  #latestAgreement = 0;
  readonly #struck = new Map<string, number>();
  readonly #answers = new Map<string, number>();

  add(result: RoundResult): void {
    this.#rounds += 1;
    if (result.wrong.length > 0) this.#failed.push(result.round);
    this.#operations += result.operations;
    this.#requests += result.requests;
    this.#slowest = Math.max(this.#slowest, result.slowestFastPathMs);
    this.#slow += result.slowFastPath;
    this.#latestAgreement = Math.max(this.#latestAgreement, result.agreedMs ?? 0);
    for (const name of result.struck) this.#struck.set(name, (this.#struck.get(name) ?? 0) + 1);
    for (const [key, count] of result.answers) this.#answers.set(key, (this.#answers.get(key) ?? 0) + count);
  }

  text(): string {
    const passed = this.#rounds - this.#failed.length;
    const failed = this.#failed.length === 0 ? '' : ` (${this.#failed.join(', ')})`;
    return `rounds ${this.#rounds}, passed ${passed}, failed ${this.#failed.length}${failed}
operations ${this.#operations}, requests in the background ${this.#requests}
longest answer of the fast path, but for excused ones: ${this.#slowest} ms; over 2 s: ${this.#slow}
longest time from the heal until everything agreed: ${this.#latestAgreement} ms
faults: ${list(this.#struck)}
answers: ${list(this.#answers)}
`;
  }
}

function list(counts: ReadonlyMap<string, number>): string {
  return (
    [...counts]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, count]) => `${name} ${count}×`)
      .join(', ') || 'none'
  );
}
