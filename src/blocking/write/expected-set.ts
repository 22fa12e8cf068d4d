// Updated by every committed change, and rebuilt whenever the complete table is read.
import { parseIp, sortKey } from '../../domain/ip.ts';
import { Fingerprint } from '../compare/fingerprint.ts';

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

  /** Call for every committed change, inside its turn. */
  noteCommitted(net: NetTexts): void {
    apply(net, this.#fingerprint);
    this.#pass?.noteCommitted(net);
  }

  /** Only the later of two passes is updated: it replaced the earlier one. */
  beginPass(): TablePass {
    this.#pass = new TablePass();
    return this.#pass;
  }

  endPass(pass: TablePass): void {
    if (this.#pass === pass) this.#pass = null;
  }

  /** Adopts what the table was found to hold. False: it differs from the service's own changes. */
  adopt(pass: TablePass): boolean {
    const same = pass.found.equals(this.#fingerprint);
    this.#fingerprint = pass.found;
    // Noting a change in both would count it twice.
    this.endPass(pass);
    return same;
  }
}

/** Reads the table page by page, in the order of sort keys. */
export class TablePass {
  readonly found = new Fingerprint();
  #cursor: Uint8Array | null = null;

  /** Sort key of the last row read. */
  get cursor(): Uint8Array | null {
    return this.#cursor;
  }

  read({ texts, last }: { readonly texts: readonly string[]; readonly last: Uint8Array | null }): void {
    for (const text of texts) this.found.add(text);
    if (last !== null) this.#cursor = last;
  }

  /** Rows at or before the cursor were read before their change. */
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
