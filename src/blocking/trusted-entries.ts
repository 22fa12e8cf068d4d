import { type IpEntry, parseIp } from '../domain/ip.ts';
import { SmallEntries } from './small-entries.ts';

interface TrustedRow {
  readonly ip_address: string;
  readonly expires_at: string | null;
}

/** An entry that covers a block: the block has no effect. */
export class TrustedEntries extends SmallEntries {
  /** Of those with an end: which put was the last, counted since the start. */
  readonly #temporary = new Map<string, number>();
  #puts = 0;

  /** Some trust has an end. */
  get anyTemporary(): boolean {
    return this.#temporary.size > 0;
  }

  /** How many puts there were: the number of the last. */
  get puts(): number {
    return this.#puts;
  }

  /** What was held before keeps the number of its put. */
  replaceAll(rows: Iterable<TrustedRow>): void {
    const known = new Map(this.#temporary);
    this.clear();
    this.#temporary.clear();
    for (const row of rows) this.put(row, known.get(row.ip_address));
  }

  /** @param number of an earlier put, which this restores */
  put({ ip_address, expires_at }: TrustedRow, number?: number): void {
    const parsed = parseIp(ip_address);
    if (!parsed.ok) return;
    const { text } = parsed.entry;
    this.hold(parsed.entry);
    if (expires_at === null) this.#temporary.delete(text);
    else this.#temporary.set(text, number ?? ++this.#puts);
  }

  /** Absent: there is none with an end. */
  putOf(text: string): number | undefined {
    return this.#temporary.get(text);
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
