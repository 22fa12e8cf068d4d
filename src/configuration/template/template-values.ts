/**
 * What a value may contain before it may enter a configuration: letters, digits and what addresses, names and paths
 * need. Blanks, quotes, `#`, `\`, `$`, `%`, commas, brackets and braces mean something to HAProxy's parser, a newline
 * ends its line, and a comma or `)` in a map's path would end the path; they are refused, never escaped (promise
 * 8).
 */
const plainText = /^[\p{L}\p{N}\p{M}._:/@*+~=[\]-]+$/u;

/** No output of a template may contain these, even after filters. Blanks are allowed: an operator wrote them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const neverPrinted = /[\u0000-\u001f\u007f\u0085\u2028\u2029"'`#\\$]/;

export class ValueRefused extends Error {}

/** Refuses the first value that could be more than a word. `path` names it in the message. */
export function refuseUnlessPlain(value: unknown, path: string): void {
  if (value === null || typeof value === 'boolean') return;
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new ValueRefused(`${path} is not a finite number`);
    return;
  }
  if (typeof value === 'string') {
    if (!plainText.test(value)) throw new ValueRefused(`${path} ${refusalReason(value)}`);
    return;
  }
  if (Array.isArray(value)) {
    value.forEach((item, index) => {
      refuseUnlessPlain(item, `${path}[${index}]`);
    });
    return;
  }
  if (typeof value === 'object' && Object.getPrototypeOf(value) === Object.prototype) {
    for (const [key, item] of Object.entries(value)) refuseUnlessPlain(item, path === '' ? key : `${path}.${key}`);
    return;
  }
  throw new ValueRefused(`${path} is not plain data`);
}

/** The engine's output escape: it never escapes, it refuses. */
export function printable(value: unknown): string {
  if (value === null || value === undefined) throw new ValueRefused('the value is empty (nil)');
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value !== 'string') throw new ValueRefused('the value is a list or an object, not a single value');
  if (neverPrinted.test(value)) throw new ValueRefused(`the value ${refusalReason(value)}`);
  return value;
}

function refusalReason(value: string): string {
  if (value === '') return 'is empty';
  const bad = [...value].find((c) => neverPrinted.test(c)) ?? [...value].find((c) => !plainText.test(c)) ?? '';
  return `contains ${JSON.stringify(bad)}, which is not allowed in a configuration: ${quoted(value)}`;
}

function quoted(value: string): string {
  return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value);
}
