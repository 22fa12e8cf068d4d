const invisible = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Shows invisible characters of untrusted text by their code points: `exe⟨U+202E⟩gnp`. */
export function visibleText(text: string): string {
  return text.replace(invisible, (character) => {
    const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    return `⟨U+${code}⟩`;
  });
}
