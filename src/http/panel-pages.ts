/** The panel's own addresses: each answers with the one page, which then shows what its address says. */
export const panelPages = [
  '/',
  '/blocked',
  '/check',
  '/trusted',
  '/sites',
  '/configuration',
  '/activity',
  '/keys',
] as const;

export type PanelPage = (typeof panelPages)[number];
