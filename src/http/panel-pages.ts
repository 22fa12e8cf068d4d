/** Each returns the same page. */
export const panelPages = [
  '/',
  '/denied',
  '/blocked',
  '/map',
  '/candidates',
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

export function isPanelPage(path: string): path is PanelPage {
  return (panelPages as readonly string[]).includes(path);
}

export function isPanelRoute(url: string): boolean {
  return url === '/assets/:name' || isPanelPage(url);
}
