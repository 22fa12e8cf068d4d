/** What a parser at the edge answers. `why` says what is wrong and what would be right, ready to be shown. */
export type Parsed<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly why: string };

export function parsed<T>(value: T): Parsed<T> {
  return { ok: true, value };
}

export function refused(why: string): { readonly ok: false; readonly why: string } {
  return { ok: false, why };
}
