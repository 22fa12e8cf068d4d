// When a rise of denied requests is an attack (ADR 0094).

export interface AttackLimits {
  /** Times the usual. */
  readonly factor: number;
  /** Requests a minute. */
  readonly minimum: number;
}

export interface OpenAttack {
  /** In seconds. */
  readonly startedAt: number;
  /** Requests a minute. */
  readonly usual: number;
  readonly peak: number;
  readonly denied: number;
}

export interface AttackChange {
  readonly kind: 'started' | 'continues' | 'ended';
  readonly attack: OpenAttack;
  /** Of `ended`: after its last loud minute, in seconds. */
  readonly endedAt: number;
}

const loudMinutes = 3;
const quietMinutes = 10;
/** Below so many times the usual is quiet. */
const quietFactor = 2;

interface Minute {
  readonly at: number;
  readonly denied: number;
}

export class AttackWatch {
  #open: OpenAttack | null;
  /** Minutes in a row: above the limit, or quiet during an attack. */
  #row: Minute[] = [];

  /** @param open that had begun before the service's start */
  constructor(open: OpenAttack | null = null) {
    this.#open = open;
  }

  get open(): OpenAttack | null {
    return this.#open;
  }

  /** A minute of which nothing is known: neither loud nor quiet. */
  unknown(): void {
    this.#row = [];
  }

  /** @param usual requests a minute  @returns what changed; null: there is no attack */
  minute(minute: Minute, usual: number, { factor, minimum }: AttackLimits): AttackChange | null {
    if (this.#open === null) {
      const loud = minute.denied > factor * usual && minute.denied > minimum;
      this.#row = loud ? [...this.#row, minute] : [];
      if (this.#row.length < loudMinutes) return null;
      this.#open = {
        startedAt: this.#row[0]!.at,
        usual,
        peak: Math.max(...this.#row.map(({ denied }) => denied)),
        denied: this.#row.reduce((sum, { denied }) => sum + denied, 0),
      };
      this.#row = [];
      return { kind: 'started', attack: this.#open, endedAt: minute.at };
    }
    // Judged by what was usual when it began: a long attack becomes usual itself.
    const { usual: before, peak, denied } = this.#open;
    const quiet = minute.denied < Math.max(quietFactor * before, minimum);
    const attack = { ...this.#open, peak: Math.max(peak, minute.denied), denied: denied + minute.denied };
    this.#row = quiet ? [...this.#row, minute] : [];
    const ended = this.#row.length >= quietMinutes;
    const endedAt = this.#row[0]?.at ?? minute.at;
    this.#open = ended ? null : attack;
    if (ended) this.#row = [];
    return { kind: ended ? 'ended' : 'continues', attack, endedAt };
  }
}

/** The middle value; 0 for none. */
export function median(values: readonly number[]): number {
  if (values.length === 0) return 0;
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
