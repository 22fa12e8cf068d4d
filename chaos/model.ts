// The allowed states of each address. An unanswered operation may have happened or not; of two that overlapped either
// may have come last.

export type State =
  | { readonly present: false }
  | {
      readonly present: true;
      /** Milliseconds since 1970; null: permanent; 'unknown': not reported. */
      readonly until: number | null | 'unknown';
    };

export const absent: State = { present: false };
export const permanent: State = { present: true, until: null };
export const presentSomehow: State = { present: true, until: 'unknown' };

export type Proof =
  /** Proves database and file. */
  | 'acknowledged'
  /** Proves HAProxy: every worker was verified. */
  | 'enforced';

interface Write {
  readonly begun: number;
  /** Infinity while under way, or if the outcome is unknown. */
  ended: number;
  states: readonly State[];
  acknowledged: boolean;
  enforced: boolean;
}

export interface Pending {
  /** Done, at the latest now. `enforced`: every worker was verified. */
  done(at: number, states: readonly State[], enforced: boolean): void;
  /** It did not happen. */
  refused(): void;
  /** What this operation may have found between the two moments. */
  found(from: number, to: number): State[];
}

export class Model {
  readonly #registers = new Map<string, Write[]>();

  get addresses(): string[] {
    return [...this.#registers.keys()];
  }

  /** Until the outcome is known, each of `states` is possible besides the earlier ones. */
  begin(address: string, begun: number, states: readonly State[]): Pending {
    const writes = this.#writesOf(address);
    const write: Write = { begun, ended: Number.POSITIVE_INFINITY, states, acknowledged: false, enforced: false };
    writes.push(write);
    return {
      done: (at, now, enforced) => {
        write.ended = at;
        write.states = now;
        write.acknowledged = true;
        write.enforced = enforced;
      },
      refused: () => {
        const index = writes.indexOf(write);
        if (index >= 0) writes.splice(index, 1);
      },
      found: (from, to) => statesOf(writes, from, to, 'acknowledged', write),
    };
  }

  /** Observed while nothing was under way: from here on the truth. */
  settle(address: string, state: State): void {
    this.#registers.set(address, [settled(state)]);
  }

  /**
   * What an observation between `from` and `to` may have seen. A write is out of the question when another one,
   * which was done before the look, began after it had ended.
   */
  possible(address: string, from: number, to: number, proof: Proof): State[] {
    return statesOf(this.#registers.get(address) ?? [settled(absent)], from, to, proof);
  }

  /** Whether an observation may find the entry, and may miss it. */
  mayBe(address: string, from: number, to: number, proof: Proof): { present: boolean; absent: boolean } {
    const verdict = { present: false, absent: false };
    for (const state of this.possible(address, from, to, proof)) {
      if (!state.present) verdict.absent = true;
      else if (state.until === null) verdict.present = true;
      else if (state.until === 'unknown') {
        verdict.present = true;
        verdict.absent = true;
      } else {
        // How long it stays after its expiry depends on the machine; the end of the round waits for it.
        verdict.present = true;
        if (to >= state.until) verdict.absent = true;
      }
    }
    return verdict;
  }

  #writesOf(address: string): Write[] {
    const known = this.#registers.get(address);
    if (known !== undefined) return known;
    const fresh = [settled(absent)];
    this.#registers.set(address, fresh);
    return fresh;
  }
}

function statesOf(all: readonly Write[], from: number, to: number, proof: Proof, except?: Write): State[] {
  const writes = all.filter((write) => write !== except);
  const settling = writes.filter(
    (write) => write.acknowledged && (proof === 'acknowledged' || write.enforced) && write.ended <= from,
  );
  return writes
    .filter((write) => write.begun <= to && !settling.some((later) => later !== write && later.begun >= write.ended))
    .flatMap(({ states }) => states);
}

/** A list element without a time keeps the expiry it found; an expired entry is created again (ADR 0044). */
export function listed(found: readonly State[], to: number): State[] {
  return found.flatMap((state) => {
    if (!state.present) return [permanent];
    const mayBeOver = state.until === 'unknown' || (state.until !== null && state.until <= to);
    return mayBeOver ? [state, permanent] : [state];
  });
}

function settled(state: State): Write {
  const long = Number.NEGATIVE_INFINITY;
  return { begun: long, ended: long, states: [state], acknowledged: true, enforced: true };
}
