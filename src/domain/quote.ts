const LONGEST = 60;
const PRINTABLE_WORD = /^[!-~]+$/;

/**
 * A text from outside, fit for a message or a log line: at most 60 characters of it, with everything but printable ASCII
 * escaped as `\uXXXX`. One plain word is not quoted, anything else is in double quotes.
 */
export function quote(text: string): string {
  const head = text.length > LONGEST ? `${text.slice(0, LONGEST)}...` : text;
  if (PRINTABLE_WORD.test(head)) return head;
  return JSON.stringify(head).replace(
    /[^ -~]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
