import { type IpEntry, parseIp } from '../domain/ip.ts';
import { SmallEntries } from './small-entries.ts';

interface TrustedRow {
  readonly ip_address: string;
  readonly expires_at: string | null;
}

/** An entry that covers a block: the block has no effect. */
export class TrustedEntries extends SmallEntries {
  readonly #temporary = new Set<string>();

  /** Some trust has an end. */
  get anyTemporary(): boolean {
    return this.#temporary.size > 0;
  }

  replaceAll(rows: Iterable<TrustedRow>): void {
    this.clear();
    this.#temporary.clear();
    for (const row of rows) this.add(row);
  }

  add({ ip_address, expires_at }: TrustedRow): void {
    const parsed = parseIp(ip_address);
    if (!parsed.ok) return;
    const { text } = parsed.entry;
    this.hold(parsed.entry);
    if (expires_at === null) this.#temporary.delete(text);
    else this.#temporary.add(text);
  }

  remove(text: string): void {
    this.letGo(text);
    this.#temporary.delete(text);
  }

  /** Nothing but a trust with an end of exactly this entry covers it. */
  isException(entry: IpEntry): boolean {
    if (!this.#temporary.has(entry.text)) return false;
    const covering = this.covering(entry);
    return covering.length === 1 && covering[0] === entry.text;
  }
}
