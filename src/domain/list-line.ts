// A line of a text list. Only blanks and tabs are trimmed; the address parser rejects any other white space. Without regular
// expressions: trimming with one takes quadratic time on a long line of blanks.

/** The text before a comment (`#` or `;` at the beginning or after a blank), without blanks around it. */
export function withoutComment(line: string): string {
  const start = firstNonBlank(line);
  for (let at = start; at < line.length; at += 1) {
    const character = line[at];
    if ((character === '#' || character === ';') && (at === start || isBlank(line, at - 1))) {
      return trimmed(line, start, at);
    }
  }
  return trimmed(line, start, line.length);
}

export function trimBlanks(text: string): string {
  return trimmed(text, firstNonBlank(text), text.length);
}

function firstNonBlank(text: string): number {
  let at = 0;
  while (at < text.length && isBlank(text, at)) at += 1;
  return at;
}

function trimmed(text: string, start: number, end: number): string {
  let last = end;
  while (last > start && isBlank(text, last - 1)) last -= 1;
  return text.slice(start, last);
}

function isBlank(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code === 0x20 || code === 0x09;
}
