// What cannot be a key, said before it is sent: a header cannot carry it, and the browser would report that as if the
// service had not answered.
const longest = 512;

/** Null: it may be a key. */
export function keyFault(key: string): string | null {
  const stranger = /[^\x21-\x7e]/u.exec(key)?.[0];
  if (stranger !== undefined) {
    const code = (stranger.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    const shown = /^[\p{L}\p{N}\p{P}\p{S}]$/u.test(stranger) ? `“${stranger}” (U+${code})` : `the character U+${code}`;
    return `This is not a key: it contains ${shown}. A key has only ASCII letters, digits and punctuation, without spaces. Check the keyboard layout, or copy the key again.`;
  }
  return key.length > longest ? `This is not a key: it has ${key.length} characters, a key at most ${longest}.` : null;
}
