/** So that no domain collides with the template's own sections. */
const prefix = 'site_';

/** The name of a site's backend in the configuration. */
export function backendName(domain: string): string {
  return `${prefix}${domain}`;
}

/** The reverse; null: not named like the backend of a site. */
export function siteOfBackend(backend: string): string | null {
  return backend.startsWith(prefix) ? backend.slice(prefix.length) : null;
}
