// Text from outside on its way to a terminal: a reason, a bad line, a worker's reply. What a terminal would obey, or
// what would make a line read otherwise than it is, is shown as `\u{1b}` instead.

/** Controls, lone surrogates, line separators; bidirectional and invisible format characters (Unicode's Cf); tags. */
const obeyed = /[\p{Cc}\p{Cs}\p{Cf}\u2028\u2029\u115f\u1160\u3164\uffa0]/gu;

/** On one line, with nothing in it that is not seen. */
export function harmless(text: string): string {
  return text.replaceAll(obeyed, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`);
}

/** Lines stay lines and tabs tabs: messages of HAProxy, a difference, a configuration. */
export function harmlessLines(text: string): string {
  return text
    .split('\n')
    .map((line) => line.split('\t').map(harmless).join('\t'))
    .join('\n');
}

/**
 * JSON that means the same and holds nothing that a terminal obeys: outside of ASCII too, such characters are written
 * as JSON's own escapes.
 * @param indent blanks a level; 0: one line
 */
export function harmlessJson(value: unknown, indent = 2): string {
  return JSON.stringify(value, null, indent).replaceAll(/[\p{Cf}\u007f-\u009f\u2028\u2029]/gu, (character) =>
    [...Array(character.length).keys()]
      .map((index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}
