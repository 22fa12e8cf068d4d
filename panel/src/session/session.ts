import { createContext, useContext, useSyncExternalStore } from 'react';
import { ApiProblem } from '../../../src/client/client.ts';
import { grants } from '../../../src/domain/scope.ts';
import { type ApiClient, createApi } from '../api/request.ts';
import type { Scope, SessionInfo } from '../api/types.ts';
import { ServiceClock } from './service-clock.ts';
import type { TokenStore } from './token-store.ts';

interface SessionState {
  /** Null: signed out, or not known yet. */
  readonly info: SessionInfo | null;
  /** A token is stored; it may be invalid. */
  readonly hasToken: boolean;
  readonly asksTabs: boolean;
  /** A key was entered in this tab since the page loaded. */
  readonly justSignedIn: boolean;
  readonly ended: string | null;
  /** Time of the service's last response; milliseconds since 1970. */
  readonly lastAnswer: number | null;
  /** Null: the service responds. */
  readonly unreachableSince: number | null;
}

/** A hidden tab sends no other requests, and the service ends an unused session after 30 minutes. */
const keepAliveMs = 5 * 60_000;
/** Time without a sign-in form for another tab to respond. */
const tabPatienceMs = 300;
const endedText = 'You were signed out. The session expired, was ended in another tab, or its key was revoked.';
const unconfirmedText =
  'Signed out in this tab only: the service did not confirm it. Unused, the session expires in 30 minutes.';
const signedOut = { info: null, hasToken: false, asksTabs: false, justSignedIn: false } as const;

export class Session {
  readonly api: ApiClient;
  readonly clock = new ServiceClock();
  readonly #tokens: TokenStore;
  readonly #listeners = new Set<() => void>();
  #state: SessionState;

  constructor(tokens: TokenStore) {
    this.#tokens = tokens;
    const hasToken = tokens.token !== null;
    this.#state = {
      ...signedOut,
      hasToken,
      asksTabs: !hasToken,
      ended: null,
      lastAnswer: null,
      unreachableSince: null,
    };
    this.api = this.#apiWith(() => tokens.token);
    if (!hasToken) this.#askTabs();
    setInterval(() => this.#keepAlive(), keepAliveMs);
  }

  get state(): SessionState {
    return this.#state;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Exchanges the key for a session; the key is not stored. @throws ApiProblem 401 for an invalid key */
  async signIn(key: string): Promise<void> {
    const { data } = await this.#apiWith(() => key).POST('/api/session');
    const { token, ...info } = data;
    this.#tokens.set(token);
    this.#change({ info, hasToken: true, asksTabs: false, justSignedIn: true, ended: null });
  }

  async restore(): Promise<void> {
    const { data: info } = await this.api.GET('/api/session');
    this.#change({ info, hasToken: true, ended: null });
  }

  /** Ends the session in every tab that shares it. */
  signOut(): void {
    const { token } = this.#tokens;
    this.#forget(null);
    if (token === null) return;
    this.#apiWith(() => token)
      .DELETE('/api/session')
      .catch((error: unknown) => {
        const hadEnded = error instanceof ApiProblem && error.status === 401;
        if (!hadEnded && !this.#state.hasToken) this.#change({ ended: unconfirmedText });
      });
  }

  invalidated(): void {
    this.#forget(endedText);
  }

  /** Shows the sign-in unless another tab responds soon; a later response replaces it. */
  #askTabs(): void {
    const timer = setTimeout(() => this.#change({ asksTabs: false }), tabPatienceMs);
    this.#tokens.askTabs(() => {
      clearTimeout(timer);
      this.#change({ asksTabs: false, hasToken: true });
    });
  }

  /** Failures are handled by the request watcher in `#apiWith`. */
  #keepAlive(): void {
    if (this.#state.info !== null) this.restore().catch(() => undefined);
  }

  #apiWith(token: () => string | null): ApiClient {
    return createApi(token, {
      answered: (date) => {
        this.clock.update(date);
        this.#change({ lastAnswer: Date.now(), unreachableSince: null });
      },
      unanswered: () => {
        if (this.#state.unreachableSince === null) this.#change({ unreachableSince: Date.now() });
      },
      // During sign-in the form itself reports an invalid key.
      keyRefused: () => {
        if (this.#state.info !== null) this.invalidated();
      },
    });
  }

  #forget(ended: string | null): void {
    this.#tokens.clear();
    this.#change({ ...signedOut, ended });
  }

  #change(change: Partial<SessionState>): void {
    this.#state = { ...this.#state, ...change };
    for (const listener of this.#listeners) listener();
  }
}

export const SessionContext = createContext<Session | null>(null);

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === null) throw new Error('this component needs a SessionContext around it');
  return session;
}

export function useSessionState(): SessionState {
  const session = useSession();
  return useSyncExternalStore(session.subscribe, () => session.state);
}

export function useApi(): ApiClient {
  return useSession().api;
}

export function useAllowed(scope: Scope): boolean {
  const { info } = useSessionState();
  return grants(info?.scopes ?? [], scope);
}
