// Log lines that anybody could cause by the thousand: of requests without a valid key, and of refusals and failures with
// one. The first of each minute have lines of their own, of the rest one line tells how many they were and whose.

export interface KeylessLimits {
  /** Lines a minute. */
  readonly lines: number;
  readonly windowMs: number;
  /** Sources that are counted one by one. */
  readonly sources: number;
}

const DEFAULTS: KeylessLimits = { lines: 20, windowMs: 60_000, sources: 1_000 };
/** With a valid key, as many as the audit has rows of one key's refusals. */
export const keyedLines: KeylessLimits = { ...DEFAULTS, lines: 60 };
const NAMED_SOURCES = 20;

type Tell = (message: string, fields: Readonly<Record<string, unknown>>) => void;

export class KeylessLines {
  readonly #tell: Tell;
  readonly #limits: KeylessLimits;
  readonly #message: string;
  readonly #sources = new Map<string, number>();
  #told = 0;
  #untold = 0;
  #window: NodeJS.Timeout | null = null;

  /** @param message of the line that counts the rest */
  constructor(tell: Tell, limits: KeylessLimits = DEFAULTS, message = 'Requests without a valid key') {
    this.#tell = tell;
    this.#limits = limits;
    this.#message = message;
  }

  /** Whether a request from `source` (an address, the IPv6 network it lies in, or the name of a key) may have a line of its own; else it is counted. */
  mayTell(source: string): boolean {
    this.#window ??= setTimeout(() => this.end(), this.#limits.windowMs).unref();
    this.#told += 1;
    if (this.#told <= this.#limits.lines) return true;
    this.#untold += 1;
    const count = this.#sources.get(source);
    if (count !== undefined || this.#sources.size < this.#limits.sources) this.#sources.set(source, (count ?? 0) + 1);
    return false;
  }

  /** Tells of what was only counted, and begins anew. */
  end(): void {
    if (this.#window !== null) clearTimeout(this.#window);
    this.#window = null;
    const untold = this.#untold;
    const most = [...this.#sources].sort(([, a], [, b]) => b - a).slice(0, NAMED_SOURCES);
    this.#told = 0;
    this.#untold = 0;
    this.#sources.clear();
    if (untold === 0) return;
    this.#tell(this.#message, { requests: untold, most_from: Object.fromEntries(most) });
  }
}
