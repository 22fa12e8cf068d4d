const longest = 64;
const pattern = /^[A-Za-z0-9][A-Za-z0-9._-]*(:[A-Za-z0-9._-]+)*$/;

export const sourceNameRule =
  'a name has 1 to 64 letters, digits, dots, hyphens and underscores, and colons between parts, such as fail2ban:sshd';

export function isSourceName(text: string): boolean {
  return text.length <= longest && pattern.test(text);
}

/** How the source is used; decides which claims an unblock without a source drops. */
export const sourceKinds = ['manual', 'agent', 'list'] as const;
export type SourceKind = (typeof sourceKinds)[number];

export function isSourceKind(text: string): text is SourceKind {
  return sourceKinds.some((kind) => kind === text);
}
