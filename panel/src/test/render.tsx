import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { type QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from '@tanstack/react-router';
import { render } from '@testing-library/react';
import type { ReactNode } from 'react';
import { createQueries } from '../app/queries.ts';
import { theme } from '../app/theme.ts';
import { parseSearch, stringifySearch } from '../parts/url-state.ts';
import { Session, SessionContext } from '../session/session.ts';
import { type TabChannel, TokenStore } from '../session/token-store.ts';

const noTabs: TabChannel = { postMessage: () => undefined, addEventListener: () => undefined };

interface RenderOptions {
  readonly signedIn?: boolean;
  readonly tabs?: TabChannel;
  readonly queries?: QueryClient;
}

export async function renderInApp(
  component: ReactNode,
  { signedIn = true, tabs = noTabs, queries = createQueries() }: RenderOptions = {},
): Promise<Session> {
  const session = new Session(new TokenStore(sessionStorage, tabs));
  if (signedIn) await session.signIn('pm_test');
  const router = createRouter({
    routeTree: createRootRoute({ component: () => component }),
    history: createMemoryHistory(),
    parseSearch,
    stringifySearch,
  });
  await router.load();
  render(
    <MantineProvider theme={theme} env="test">
      <Notifications />
      <SessionContext value={session}>
        <QueryClientProvider client={queries}>
          <RouterProvider router={router as never} />
        </QueryClientProvider>
      </SessionContext>
    </MantineProvider>,
  );
  return session;
}
