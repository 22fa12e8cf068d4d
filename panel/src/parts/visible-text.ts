/** Characters that are not seen, or that turn the text around them: control, format and separator characters. */
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** A text from outside, with what cannot be seen in it told by its code point: `exe⟨U+202E⟩gnp`. */
export function visibleText(text: string): string {
  return text.replace(unseen, (character) => {
    const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    return `⟨U+${code}⟩`;
  });
}
