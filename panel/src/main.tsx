import './app/styles.ts';
import { MantineProvider } from '@mantine/core';
import { Notifications, notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { isPanelPage } from '../../src/http/panel-pages.ts';
import { loadOwnFonts } from './app/fonts.ts';
import { styleNonce } from './app/nonce.ts';
import { createQueries } from './app/queries.ts';
import { router } from './app/router.tsx';
import { cssVariables, theme } from './app/theme.ts';
import { LiveEvents } from './live/live.tsx';
import { Gate } from './session/gate.tsx';
import { Session, SessionContext } from './session/session.ts';
import { TokenStore } from './session/token-store.ts';

const nonce = styleNonce();
const here = window.location.pathname;
// Its files are loaded while the session is checked. A failure is that of the page, which loads them again.
if (isPanelPage(here)) void router.preloadRoute({ to: here }).catch(() => undefined);
const session = new Session(new TokenStore(window.sessionStorage));
loadOwnFonts(!session.state.hasToken);
const queries = createQueries();
// Data and undo offers of one session must not be visible in the next.
session.subscribe(() => {
  if (session.state.hasToken) return;
  queries.clear();
  notifications.clean();
});

createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      defaultColorScheme="auto"
      getStyleNonce={() => nonce}
    >
      {/* In a corner, so that they do not cover the buttons of dialogs. */}
      <Notifications position="bottom-right" limit={4} containerWidth={300} />
      <SessionContext value={session}>
        <QueryClientProvider client={queries}>
          <Gate>
            <LiveEvents>
              <RouterProvider router={router} />
            </LiveEvents>
          </Gate>
        </QueryClientProvider>
      </SessionContext>
    </MantineProvider>
  </StrictMode>,
);
