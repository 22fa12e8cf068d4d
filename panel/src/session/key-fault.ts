// Rejects texts that cannot be a key before they are sent: a header cannot carry them, and the browser would report that
// as if the service had not answered.
const maxLength = 512;

export function keyFault(key: string): string | null {
  const invalid = /[^\x21-\x7e]/u.exec(key)?.[0];
  if (invalid !== undefined) {
    const code = (invalid.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    const shown = /^[\p{L}\p{N}\p{P}\p{S}]$/u.test(invalid) ? `“${invalid}” (U+${code})` : `the character U+${code}`;
    return `This is not a key: it contains ${shown}. Keys contain only ASCII letters, digits and punctuation, no spaces. Check the keyboard layout, or copy the key again.`;
  }
  return key.length > maxLength
    ? `This is not a key: it has ${key.length} characters; the limit is ${maxLength}.`
    : null;
}
