import type { ReplaceConsent } from '../configuration/replace-consent.ts';

export function consentOf(query: { readonly replace_configuration?: boolean }): ReplaceConsent {
  return { replace: query.replace_configuration === true };
}
