// Kept in memory, because every block checks it.
import { containingNetworks, covers, type IpEntry, lookupForms, parseIp } from '../domain/ip.ts';

const shownInside = 100;
/** Up to this number, checking each entry is faster than computing all networks that could cover. */
const fewEntries = 64;

export class TrustedEntries {
  #entries = new Map<string, IpEntry>();

  get isEmpty(): boolean {
    return this.#entries.size === 0;
  }

  replaceAll(texts: Iterable<string>): void {
    this.#entries = new Map();
    for (const text of texts) this.add(text);
  }

  add(text: string): void {
    const parsed = parseIp(text);
    if (parsed.ok) this.#entries.set(parsed.entry.text, parsed.entry);
  }

  remove(text: string): void {
    this.#entries.delete(text);
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
