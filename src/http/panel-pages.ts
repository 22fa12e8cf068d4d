/** The panel's own addresses: each answers with the one page, which then shows what its address says. */
export const panelPages = [
  '/',
  '/blocked',
  '/check',
  '/trusted',
  '/sites',
  '/configuration',
  '/activity',
  '/webhooks',
  '/keys',
] as const;

export type PanelPage = (typeof panelPages)[number];

/** Whether a route, as it was registered, is the panel's own: a page or its files, and no part of the API. */
export function isPanelRoute(url: string): boolean {
  return url === '/assets/:name' || (panelPages as readonly string[]).includes(url);
}
