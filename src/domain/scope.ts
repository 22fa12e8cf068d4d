// What a key may do: three levels, each of which includes those below (ADR 0024).

/** From the least to the most. */
export const scopes = ['read', 'block', 'admin'] as const;

export type Scope = (typeof scopes)[number];

export function isScope(text: string): text is Scope {
  return (scopes as readonly string[]).includes(text);
}

/** Whether a key with the scopes `held` may do what requires `needed`. Unknown scopes grant nothing. */
export function grants(held: readonly string[], needed: Scope): boolean {
  return held.some((scope) => isScope(scope) && scopes.indexOf(scope) >= scopes.indexOf(needed));
}
