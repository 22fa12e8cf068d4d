import type { ReplaceConsent } from '../configuration/reload/replace-consent.ts';

export function consentOf(query: { readonly replace_configuration?: boolean }): ReplaceConsent {
  return { replace: query.replace_configuration === true };
}
