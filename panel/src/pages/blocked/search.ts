import { parseIp } from '../../../../src/domain/ip.ts';

export type Search =
  | { readonly kind: 'all' }
  | { readonly kind: 'address'; readonly q: string }
  | { readonly kind: 'text'; readonly text: string };

const addressLike = /^[0-9A-Fa-f:./]{1,64}$/;
/** The API's limit of a text search, in code points. */
export const maxTextLength = 100;

/** Text with a digit or a colon and only characters of addresses is an address. */
export function searchFor(typed: string): Search {
  const text = oneLine(typed);
  if (text === '') return { kind: 'all' };
  return addressLike.test(text) && /[0-9:]/.test(text) ? { kind: 'address', q: text } : { kind: 'text', text };
}

export function textSearchFor(typed: string): Search {
  const text = oneLine(typed);
  return text === '' ? { kind: 'all' } : { kind: 'text', text };
}

export function searchWords(search: Search): string {
  switch (search.kind) {
    case 'all':
      return 'An address or its beginning, a network, or part of a reason or of “Blocked by”.';
    case 'address':
      return `Searching addresses: ${isNetwork(search.q) ? 'entries inside this network or covering it' : 'entries that start with this text or cover it'}`;
    case 'text':
      return 'Searching reasons and “Blocked by”';
  }
}

/** A complete network is searched by what it contains, any other address by its text. */
export function isNetwork(q: string): boolean {
  const parse = parseIp(q);
  return parse.ok && parse.entry.text.includes('/');
}

/** First match of `part`, ignoring case; null: none, or its position is ambiguous. */
export function matchIn(part: string, text: string): { readonly from: number; readonly to: number } | null {
  const lower = text.toLowerCase();
  const from = part === '' || lower.length !== text.length ? -1 : lower.indexOf(part.toLowerCase());
  return from < 0 ? null : { from, to: from + part.toLowerCase().length };
}

/** Without control characters, which the API rejects. */
function oneLine(typed: string): string {
  const text = typed.replace(/[\p{Cc}\p{Cs}\u2028\u2029]+/gu, ' ').trim();
  return Array.from(text).slice(0, maxTextLength).join('');
}
