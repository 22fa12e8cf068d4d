/** Each returns the same page. */
export const panelPages = [
  '/',
  '/blocked',
  '/sources',
  '/check',
  '/trusted',
  '/sites',
  '/certificates',
  '/upstreams',
  '/configuration',
  '/activity',
  '/webhooks',
  '/keys',
] as const;

export type PanelPage = (typeof panelPages)[number];

export function isPanelRoute(url: string): boolean {
  return url === '/assets/:name' || (panelPages as readonly string[]).includes(url);
}
