import { type Operation, routeName } from '../../src/api/operation.ts';
import { operations } from '../../src/api/operations.ts';
import { panelPages } from '../../src/http/panel-pages.ts';

/** The scope that each route needs. */
export const routeAccess: Readonly<Record<string, Operation['access']>> = {
  ...Object.fromEntries(panelPages.map((page) => [`GET ${page}`, 'open' as const])),
  'GET /assets/:name': 'open',
  ...Object.fromEntries(operations.map((operation) => [routeName(operation), operation.access])),
};

/** Audited routes with their verbs. */
export const auditedRoutes: Readonly<Record<string, string>> = Object.fromEntries(
  operations.flatMap((operation) => (operation.audit === null ? [] : [[routeName(operation), operation.audit]])),
);
