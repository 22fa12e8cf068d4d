import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
import { Loading } from '../parts/loading.tsx';
import { parseSearch, stringifySearch } from '../parts/url-state.ts';
import { NotFound } from './not-found.tsx';
import { PageFailure } from './page-failure.tsx';
import { Shell } from './shell.tsx';

const root = createRootRoute({
  validateSearch: (search: Readonly<Record<string, string | undefined>>) => search,
  component: Shell,
  notFoundComponent: NotFound,
});
const at = <const Path extends string>(path: Path, load: () => Promise<{ default: () => React.ReactNode }>) =>
  createRoute({ getParentRoute: () => root, path, component: lazyRouteComponent(load) });

const routes = root.addChildren([
  at('/', () => import('../pages/overview/page.tsx')),
  at('/denied', () => import('../pages/denied/page.tsx')),
  at('/blocked', () => import('../pages/blocked/page.tsx')),
  at('/map', () => import('../pages/map/page.tsx')),
  at('/candidates', () => import('../pages/candidates/page.tsx')),
  at('/sources', () => import('../pages/sources/page.tsx')),
  at('/check', () => import('../pages/check/page.tsx')),
  at('/trusted', () => import('../pages/trusted/page.tsx')),
  at('/sites', () => import('../pages/sites/page.tsx')),
  at('/certificates', () => import('../pages/certificates/page.tsx')),
  at('/upstreams', () => import('../pages/upstreams/page.tsx')),
  at('/configuration', () => import('../pages/configuration/page.tsx')),
  at('/activity', () => import('../pages/activity/page.tsx')),
  at('/webhooks', () => import('../pages/webhooks/page.tsx')),
  at('/keys', () => import('../pages/keys/page.tsx')),
]);

export const router = createRouter({
  routeTree: routes,
  parseSearch,
  stringifySearch,
  defaultPreload: 'intent',
  defaultPendingComponent: Loading,
  defaultErrorComponent: PageFailure,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
