/** The result of a parser. `why` says what is wrong and what to write instead, fit for a message. */
export type Parsed<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly why: string };

export function parsed<T>(value: T): Parsed<T> {
  return { ok: true, value };
}

export function refused(why: string): { readonly ok: false; readonly why: string } {
  return { ok: false, why };
}
