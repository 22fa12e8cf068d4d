// How many columns of a terminal a text takes. Roughly UAX 11: wide scripts and emoji take two, marks none.

const none = /^[\p{Mn}\p{Me}\p{Cf}]$/u;
const wide =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}\p{Emoji_Presentation}]$/u;

/** Of a text without control characters. */
export function displayWidth(text: string): number {
  // Nearly everything is.
  if (/^[ -~]*$/.test(text)) return text.length;
  let width = 0;
  for (const character of text) width += widthOf(character);
  return width;
}

/** The text in at most `width` columns; `…` stands for what was cut. */
export function fitted(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  if (width < 1) return '';
  let kept = '';
  let used = 1;
  for (const character of text) {
    used += widthOf(character);
    if (used > width) break;
    kept += character;
  }
  return `${kept}…`;
}

export function padded(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - displayWidth(text)));
}

function widthOf(character: string): number {
  if (none.test(character)) return 0;
  return wide.test(character) ? 2 : 1;
}
