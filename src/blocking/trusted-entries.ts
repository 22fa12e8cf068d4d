// Kept in memory, because every block checks it.
import { containingNetworks, covers, type IpEntry, lookupForms, parseIp } from '../domain/ip.ts';

const shownInside = 100;
/** Up to this number, checking each entry is faster than computing all networks that could cover. */
const fewEntries = 64;

interface TrustedRow {
  readonly ip_address: string;
  readonly expires_at: string | null;
}

export class TrustedEntries {
  #entries = new Map<string, IpEntry>();
  readonly #temporary = new Set<string>();

  get isEmpty(): boolean {
    return this.#entries.size === 0;
  }

  /** Some trust has an end. */
  get anyTemporary(): boolean {
    return this.#temporary.size > 0;
  }

  replaceAll(rows: Iterable<TrustedRow>): void {
    this.#entries = new Map();
    this.#temporary.clear();
    for (const row of rows) this.add(row);
  }

  add({ ip_address, expires_at }: TrustedRow): void {
    const parsed = parseIp(ip_address);
    if (!parsed.ok) return;
    const { text } = parsed.entry;
    this.#entries.set(text, parsed.entry);
    if (expires_at === null) this.#temporary.delete(text);
    else this.#temporary.add(text);
  }

  remove(text: string): void {
    this.#entries.delete(text);
    this.#temporary.delete(text);
  }

  has(text: string): boolean {
    return this.#entries.has(text);
  }

  texts(): string[] {
    return [...this.#entries.keys()];
  }

  /** Trusted entries that cover all of it, narrowest first; empty: the block has an effect. */
  covering(entry: IpEntry): string[] {
    // Called for each line of a list of millions.
    if (this.#entries.size === 0) return [];
    if (this.#entries.size <= fewEntries && !this.#anyCovers(entry)) return [];
    return lookupForms(entry).flatMap((form) =>
      [form.text, ...containingNetworks(form)].filter((text) => this.#entries.has(text)),
    );
  }

  /** Nothing but a trust with an end of exactly this entry covers it. */
  isException(entry: IpEntry): boolean {
    if (!this.#temporary.has(entry.text)) return false;
    const covering = this.covering(entry);
    return covering.length === 1 && covering[0] === entry.text;
  }

  #anyCovers(entry: IpEntry): boolean {
    for (const form of lookupForms(entry)) {
      for (const trusted of this.#entries.values()) if (covers(trusted, form)) return true;
    }
    return false;
  }

  /** The first 100 trusted entries inside a network to be blocked. */
  inside(network: IpEntry): string[] {
    const inside: string[] = [];
    for (const trusted of this.#entries.values()) {
      if (trusted.text !== network.text && covers(network, trusted)) inside.push(trusted.text);
      if (inside.length === shownInside) break;
    }
    return inside;
  }
}
