// The fingerprint of what should be blocked: updated by every committed change, and rebuilt whenever the complete table
// is read, while changes go on.
import { parseIp, sortKey } from '../../domain/ip.ts';
import { Fingerprint } from '../compare/fingerprint.ts';

/** What a committed change made of the set. */
export interface NetTexts {
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

export class ExpectedSet {
  #fingerprint = new Fingerprint();
  #pass: TablePass | null = null;

  get fingerprint(): Fingerprint {
    return this.#fingerprint;
  }

  /** To be called for every committed change, inside its turn. */
  noteCommitted(net: NetTexts): void {
    apply(net, this.#fingerprint);
    this.#pass?.noteCommitted(net);
  }

  /** Of two passes the later one is kept up to date: the earlier one was replaced. */
  beginPass(): TablePass {
    this.#pass = new TablePass();
    return this.#pass;
  }

  endPass(pass: TablePass): void {
    if (this.#pass === pass) this.#pass = null;
  }

  /** What the table was found to hold counts from now on. False: it is not what the service's own changes made. */
  adopt(pass: TablePass): boolean {
    const same = pass.found.equals(this.#fingerprint);
    this.#fingerprint = pass.found;
    // It is the set itself now: a change noted in both would count twice.
    this.endPass(pass);
    return same;
  }
}

/** One reading of the whole table, page by page, in the order of sort keys. */
export class TablePass {
  readonly found = new Fingerprint();
  #cursor: Uint8Array | null = null;

  /** Sort key of the last row that was read; null: none was. */
  get cursor(): Uint8Array | null {
    return this.#cursor;
  }

  read({ texts, last }: { readonly texts: readonly string[]; readonly last: Uint8Array | null }): void {
    for (const text of texts) this.found.add(text);
    if (last !== null) this.#cursor = last;
  }

  /** What changes at or before the cursor was read as it was before. */
  noteCommitted({ added, removed }: NetTexts): void {
    const cursor = this.#cursor;
    if (cursor === null) return;
    const passed = (text: string): boolean => isAtOrBefore(text, cursor);
    apply({ added: added.filter(passed), removed: removed.filter(passed) }, this.found);
  }
}

function apply({ added, removed }: NetTexts, fingerprint: Fingerprint): void {
  for (const text of added) fingerprint.add(text);
  for (const text of removed) fingerprint.remove(text);
}

function isAtOrBefore(text: string, cursor: Uint8Array): boolean {
  const parsed = parseIp(text);
  return parsed.ok && Buffer.compare(sortKey(parsed.entry), cursor) <= 0;
}
