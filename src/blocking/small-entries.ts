// Few addresses and networks, kept in memory because every block checks them.
import { containingNetworks, covers, type IpEntry, lookupForms } from '../domain/ip.ts';

const shownInside = 100;
/** Up to this number, checking each entry is faster than computing all networks that could cover. */
const fewEntries = 64;

export class SmallEntries {
  readonly #entries = new Map<string, IpEntry>();

  get isEmpty(): boolean {
    return this.#entries.size === 0;
  }

  protected clear(): void {
    this.#entries.clear();
  }

  protected hold(entry: IpEntry): void {
    this.#entries.set(entry.text, entry);
  }

  protected letGo(text: string): void {
    this.#entries.delete(text);
  }

  has(text: string): boolean {
    return this.#entries.has(text);
  }

  texts(): string[] {
    return [...this.#entries.keys()];
  }

  /** Entries that cover all of it, narrowest first. */
  covering(entry: IpEntry): string[] {
    // Called for each line of a list of millions.
    if (this.#entries.size === 0) return [];
    if (this.#entries.size <= fewEntries && !this.#anyCovers(entry)) return [];
    return lookupForms(entry).flatMap((form) =>
      [form.text, ...containingNetworks(form)].filter((text) => this.#entries.has(text)),
    );
  }

  /** The first 100 entries inside a network, without itself. */
  inside(network: IpEntry): string[] {
    const inside: string[] = [];
    for (const entry of this.#entries.values()) {
      if (entry.text !== network.text && covers(network, entry)) inside.push(entry.text);
      if (inside.length === shownInside) break;
    }
    return inside;
  }

  #anyCovers(entry: IpEntry): boolean {
    for (const form of lookupForms(entry)) {
      for (const held of this.#entries.values()) if (covers(held, form)) return true;
    }
    return false;
  }
}
