// Text that no spreadsheet runs as a formula. It can be read back exactly, since a text that begins with the mark
// itself gets another one.

const mark = "'";
/** What spreadsheets take for the beginning of a formula, also in full width, and after blanks. */
const dangerous = /^[\s']*[=+\-@\uff1d\uff0b\uff0d\uff20|%]/u;

export function formulaSafe(text: string): string {
  return dangerous.test(text) || text.startsWith(mark) ? `${mark}${text}` : text;
}

export function fromFormulaSafe(text: string): string {
  return text.startsWith(mark) ? text.slice(mark.length) : text;
}
