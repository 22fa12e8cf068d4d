import type { Key } from '../../api/types.ts';

type KeyState = 'active' | 'expired' | 'revoked';

export function keyState({ revoked_at: revokedAt, expires_at: expiresAt }: Key, now: number): KeyState {
  if (revokedAt !== null) return 'revoked';
  return expiresAt !== null && Date.parse(expiresAt) <= now ? 'expired' : 'active';
}

/** Of the others no source matters. */
export function mayBlock({ scopes }: Pick<Key, 'scopes'>): boolean {
  return scopes.includes('block') || scopes.includes('admin');
}
