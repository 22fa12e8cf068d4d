// The API's rule for the name of a source.
const pattern = /^[A-Za-z0-9][A-Za-z0-9._-]*(:[A-Za-z0-9._-]+)*$/;

export const maxSourceName = 64;

/** Null: it is a name. */
export function sourceNameFault(name: string): string | null {
  if (pattern.test(name) && name.length <= maxSourceName) return null;
  return 'Use letters, digits, dots, hyphens and underscores, and colons between parts, as in fail2ban:sshd.';
}
