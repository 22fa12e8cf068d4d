// Text from outside could control the terminal or read differently from what it is: such characters become `\u{1b}`.

/** Controls, lone surrogates, line separators; bidirectional and invisible format characters (Unicode's Cf); tags. */
const unsafe = /[\p{Cc}\p{Cs}\p{Cf}\u2028\u2029\u115f\u1160\u3164\uffa0]/gu;

/** As one line, without invisible characters. */
export function harmless(text: string): string {
  return text.replaceAll(unsafe, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`);
}

/** Keeps line ends and tabs: for HAProxy's messages, a diff, a configuration. */
export function harmlessLines(text: string): string {
  return text
    .split('\n')
    .map((line) => line.split('\t').map(harmless).join('\t'))
    .join('\n');
}

/** Equivalent JSON with escapes. @param indent spaces per level; 0: one line */
export function harmlessJson(value: unknown, indent = 2): string {
  return JSON.stringify(value, null, indent).replaceAll(/[\p{Cf}\u007f-\u009f\u2028\u2029]/gu, (character) =>
    [...Array(character.length).keys()]
      .map((index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}
