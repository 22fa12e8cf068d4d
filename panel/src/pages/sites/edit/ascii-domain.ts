/** The xn-- form (IDNA) of a domain with non-ASCII letters; null: not needed, or not possible. */
export function asciiDomain(text: string): string | null {
  const name = text.trim();
  // biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII.
  if (!/[^\x00-\x7f]/.test(name) || /[\s/\\?#@:]/.test(name)) return null;
  const url = URL.parse(`http://${name}/`);
  return url === null || url.hostname === '' ? null : url.hostname;
}
