// The beginning of a JSON value, for an answer that has to show what it refuses. Built only as far as it is shown: the
// whole of a value from outside may be nested deeper than `JSON.stringify` can go (some thousand levels).

/** Characters of a text from a body that an answer shows. */
export const LONGEST_SHOWN = 100;

/**
 * The beginning of a text from a body, to be kept. A copy of its own: a slice would keep the whole chunk of the body
 * in memory (V8 slices share their parent's characters).
 */
export function shortCopy(text: string): string {
  const short = text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}...` : text;
  return Buffer.from(short, 'utf16le').toString('utf16le');
}

const DEEPEST = 4;

/** @param longest characters; what is returned may be somewhat longer, and is no JSON where something was left out */
export function shortJson(value: unknown, longest: number, depth = 0): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? String(value);
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  if (depth === DEEPEST) return `${open}...${close}`;
  let text = open;
  // By keys and not by entries: a list of a million need not be copied to show the first three.
  for (const name in value) {
    if (!Object.hasOwn(value, name)) continue;
    if (text.length > 1) text += ',';
    if (!Array.isArray(value)) text += `${JSON.stringify(name)}:`;
    text += shortJson((value as Record<string, unknown>)[name], longest - text.length, depth + 1);
    if (text.length > longest) return text;
  }
  return text + close;
}
