// Text that no spreadsheet runs as a formula, also where a semicolon or a tab begins a new cell, whatever is quoted. It
// can be read back exactly, since a part that begins with the mark itself gets another one.

const mark = "'";
/** What spreadsheets take for the beginning of a formula, also in full width, and after blanks and quotation marks. */
const dangerous = /^[\s'"]*[=+\-@\uff1d\uff0b\uff0d\uff20|%]/u;
/** Up to the next separator, with it. */
const parts = /[^;\t]*[;\t]?/gu;

export function formulaSafe(text: string): string {
  return text.replaceAll(parts, (part) => (dangerous.test(part) || part.startsWith(mark) ? `${mark}${part}` : part));
}

export function fromFormulaSafe(text: string): string {
  return text.replaceAll(parts, (part) => (part.startsWith(mark) ? part.slice(mark.length) : part));
}
