import { manualName } from '../blocking/sources.ts';
import { grants, type Scope } from '../domain/scope.ts';
import { missingScope } from './rejections.ts';

interface KeyHolder {
  readonly keyName: string;
  readonly keyScopes: readonly Scope[] | null;
}

/** Whether the key may change the claims of one source only. */
export function isBoundKey({ keySource }: { readonly keySource: string | null }): boolean {
  return keySource !== null && keySource !== manualName;
}

/** Errors: 403. @param what part of the request that needs a higher scope than its operation, such as `force` */
export function requireScope({ keyName, keyScopes }: KeyHolder, needed: Scope, what = 'this request'): void {
  const held = keyScopes ?? [];
  if (!grants(held, needed)) throw missingScope(needed, keyName, held, what);
}
