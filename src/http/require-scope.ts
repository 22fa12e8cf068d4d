import { grants, type Scope } from '../domain/scope.ts';
import { missingScope } from './refusals.ts';

/** Who asks, as far as it matters here. */
export interface KeyHolder {
  readonly keyName: string;
  readonly keyScopes: readonly Scope[] | null;
}

/**
 * @param what the part of the request that needs more than its route does, such as `force`; absent: the route itself
 * @throws ServiceError 403 that names the scope
 */
export function requireScope({ keyName, keyScopes }: KeyHolder, needed: Scope, what = 'this'): void {
  const held = keyScopes ?? [];
  if (!grants(held, needed)) throw missingScope(needed, keyName, held, what);
}
