const form = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

export const maxNameLength = 64;

export function isPlainName(text: string): boolean {
  return form.test(text);
}

/** Null: valid for a new key or webhook. @param duplicate the fault of a name in `usedNames` */
export function nameFault(name: string, usedNames: readonly string[], duplicate: string): string | null {
  if (!isPlainName(name)) return 'Use letters, digits, dots, hyphens and underscores; start with a letter or digit.';
  return usedNames.includes(name) ? duplicate : null;
}
