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
