// The one table of who may do what: every route of the service, with the scope that its key needs. A route that is not
// here does not start (`accessOf`); OpenAPI reads the same from `routeOptions.config` of each route.
import { routeName } from '../api/operation.ts';
import { operations } from '../api/operations.ts';
import { grants, type Scope } from '../domain/scope.ts';
import { panelPages } from './panel-pages.ts';
import { missingScope } from './refusals.ts';

/** `open`: no key is asked for. */
export type Access = Scope | 'open';

/**
 * `read` looks at what is blocked, trusted and served. `block` is what fail2ban is given: one address, a list of them,
 * and the sync that proves it. What could take everything away at once, or say what the proxy is, is `admin`'s: the
 * whole set, trust, sites, the configuration (its text may hold passwords of an operator's template) and the keys.
 */
export const routeAccess: Readonly<Record<string, Access>> = {
  'GET /livez': 'open',
  'GET /readyz': 'open',
  'GET /openapi.json': 'open',
  'GET /docs': 'open',
  'GET /health': 'read',
  'GET /metrics': 'read',

  'GET /api/blocked-ips': 'read',
  'GET /api/blocked-ips/:ip_address': 'read',
  'GET /api/check/:ip_address': 'read',
  'POST /api/blocked-ips': 'block',
  'DELETE /api/blocked-ips/:ip_address': 'block',
  'POST /api/blocked-ips/batch': 'block',
  'POST /api/blocked-ips/sync': 'block',
  'PUT /api/blocked-ips': 'admin',

  'GET /api/trusted-ips': 'read',
  'GET /api/trusted-ips/:ip_address': 'read',
  'PUT /api/trusted-ips/:ip_address': 'admin',
  'DELETE /api/trusted-ips/:ip_address': 'admin',

  // The panel itself is the same for everybody; what it shows is asked for with a key.
  ...Object.fromEntries(panelPages.map((page) => [`GET ${page}`, 'open' as const])),
  'GET /assets/:name': 'open',
  // What is an administrator's alone is left out of it for others (`activity/event-types.ts`).
  'GET /api/events': 'read',

  ...Object.fromEntries(operations.map((one) => [routeName(one), one.access])),
};

/** Settings that open a route of the table to everybody: PROXY_MANAGER_METRICS_OPEN is the only one. */
export function routesOpenedBy({ metricsOpen }: { readonly metricsOpen: boolean }): ReadonlySet<string> {
  return new Set(metricsOpen ? ['GET /metrics'] : []);
}

/**
 * What a route is declared to need. HEAD is its GET. @throws Error for a route that nobody declared
 * @param opened by settings, whatever the table says
 */
export function accessOf(methods: readonly string[], url: string, opened: ReadonlySet<string> = new Set()): Access {
  const found = methods.map((method) => {
    const name = `${method === 'HEAD' ? 'GET' : method} ${url}`;
    const declared = Object.hasOwn(routeAccess, name) ? routeAccess[name] : undefined;
    const access = declared !== undefined && opened.has(name) ? 'open' : declared;
    if (access === undefined)
      throw new Error(`${name} is not in the table of src/http/route-access.ts: say who may call it`);
    return access;
  });
  const [access] = found;
  if (access === undefined || found.some((other) => other !== access))
    throw new Error(`${methods.join(', ')} ${url} need different scopes; register them one by one`);
  return access;
}

/** Who asks, as far as it matters here. */
export interface KeyHolder {
  readonly keyName: string;
  readonly keyScopes: readonly Scope[] | null;
}

/**
 * @param what the part of the request that needs more than its route does, such as `force`; absent: the route itself
 * @throws ServiceError 403 that names the scope
 */
export function requireScope({ keyName, keyScopes }: KeyHolder, needed: Scope, what = 'this'): void {
  const held = keyScopes ?? [];
  if (!grants(held, needed)) throw missingScope(needed, keyName, held, what);
}
