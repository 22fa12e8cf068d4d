// Names of keys and webhooks, by the service's own rule.

const form = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

export const longestName = 64;

export function isPlainName(text: string): boolean {
  return form.test(text);
}

/** Null: a new one may have this name. @param there what is said of a name that is among the `taken` */
export function nameFault(name: string, taken: readonly string[], there: string): string | null {
  if (!isPlainName(name)) return 'Letters, digits, points, dashes and underscores, beginning with a letter or digit.';
  return taken.includes(name) ? there : null;
}
