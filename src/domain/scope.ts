// What a key may do. Three steps, each with all that is below it (ADR 0024).

/** From the least to the most. */
export const scopes = ['read', 'block', 'admin'] as const;

export type Scope = (typeof scopes)[number];

export function isScope(text: string): text is Scope {
  return (scopes as readonly string[]).includes(text);
}

/** Whether a key with the scopes `held` may do what needs `needed`. A word that is no scope gives nothing. */
export function grants(held: readonly string[], needed: Scope): boolean {
  return held.some((scope) => isScope(scope) && scopes.indexOf(scope) >= scopes.indexOf(needed));
}
