// Which accepted entries lie in a special range: counted, and the first named, for the response.

import type { BulkAnswer, SpecialEntry } from '../../api/blocked-ips-bulk.ts';
import type { IpEntry } from '../../domain/ip.ts';
import { specialOf } from '../../domain/special-ranges.ts';

const listedEntries = 100;

export class SpecialEntries {
  readonly #first: SpecialEntry[] = [];
  #total = 0;

  note(entry: IpEntry): void {
    const special = specialOf(entry);
    if (special === null) return;
    this.#total += 1;
    if (this.#first.length < listedEntries) this.#first.push({ ip_address: entry.text, special });
  }

  /** Of the response; nothing where there are none. */
  get members(): Pick<BulkAnswer, 'special' | 'special_total'> {
    return this.#total === 0 ? {} : { special: this.#first, special_total: this.#total };
  }
}
