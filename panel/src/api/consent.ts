// To replace a live configuration that proxy-manager did not render.
export interface Consent {
  readonly replace?: boolean;
}

export function consentOf({ replace = false }: Consent): { readonly query?: { replace_configuration: true } } {
  return replace ? { query: { replace_configuration: true } } : {};
}
