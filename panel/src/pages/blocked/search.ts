// What the one search box means: an address, or what stands in reasons and sources.

export type Search =
  | { readonly kind: 'all' }
  | { readonly kind: 'address'; readonly q: string }
  | { readonly kind: 'text'; readonly text: string };

/** What the API's search by address takes. */
const addressLike = /^[0-9A-Fa-f:./]{1,64}$/;
/** What it takes of a text, in code points. */
export const longestText = 100;

/** An address has a digit or a colon, and nothing that no address has; all else is a text. */
export function searchFor(typed: string): Search {
  const text = oneLine(typed);
  if (text === '') return { kind: 'all' };
  return addressLike.test(text) && /[0-9:]/.test(text) ? { kind: 'address', q: text } : { kind: 'text', text };
}

/** As a text, whatever it looks like. */
export function textSearchFor(typed: string): Search {
  const text = oneLine(typed);
  return text === '' ? { kind: 'all' } : { kind: 'text', text };
}

export function searchWords({ kind }: Search): string {
  if (kind === 'all') return 'Digits or a colon: an address. Anything else: in reasons and sources.';
  return kind === 'address' ? 'Looks for addresses and networks' : 'Looks in reasons and sources';
}

/** Where `part` first stands in `said`, upper and lower case being the same; null: nowhere, or it cannot be told. */
export function placeOf(part: string, said: string): { readonly from: number; readonly to: number } | null {
  const lower = said.toLowerCase();
  const from = part === '' || lower.length !== said.length ? -1 : lower.indexOf(part.toLowerCase());
  return from < 0 ? null : { from, to: from + part.toLowerCase().length };
}

/** Control characters that were pasted: the API takes none. */
function oneLine(typed: string): string {
  const text = typed.replace(/[\p{Cc}\p{Cs}\u2028\u2029]+/gu, ' ').trim();
  return Array.from(text).slice(0, longestText).join('');
}
