// Who is signed in, and whether the service answers: what every part of the page may ask.
import { createContext, useContext, useSyncExternalStore } from 'react';
import { ApiProblem } from '../../../src/client/client.ts';
import { grants } from '../../../src/domain/scope.ts';
import { type ApiClient, createApi } from '../api/request.ts';
import type { Scope, SessionInfo } from '../api/types.ts';
import { ServiceClock } from './service-clock.ts';
import type { TokenStore } from './token-store.ts';

export interface SessionState {
  /** Null: nobody is signed in, or it is not known yet who. */
  readonly info: SessionInfo | null;
  /** There is a token, good or not. */
  readonly hasToken: boolean;
  /** Another tab may have one, and is being asked. */
  readonly asksTabs: boolean;
  /** A key was entered in this tab since the page was loaded. */
  readonly justSignedIn: boolean;
  /** Why somebody who was signed in is not any more. */
  readonly ended: string | null;
  /** When the service last answered anything; milliseconds since 1970. */
  readonly lastAnswer: number | null;
  /** Since when it does not answer; null: it does. */
  readonly unreachableSince: number | null;
}

/** A tab that is not looked at asks nothing else, and a session that is not used ends after half an hour. */
const useEveryMs = 5 * 60_000;
const overWords = 'You were signed out: the session timed out or was ended in another tab, or its key was revoked.';
const unconfirmedWords =
  'You are signed out here. The service did not confirm it; the session ends by itself within half an hour.';
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
    if (!hasToken) void this.#askTabs();
    setInterval(() => this.#keepAlive(), useEveryMs);
  }

  get state(): SessionState {
    return this.#state;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Exchanges the key for a session; it is not kept. @throws ApiProblem 401 for a key that is not taken */
  async signIn(key: string): Promise<void> {
    const { data } = await this.#apiWith(() => key).POST('/api/session');
    const { token, ...info } = data;
    this.#tokens.set(token);
    this.#change({ info, hasToken: true, asksTabs: false, justSignedIn: true, ended: null });
  }

  /** Asks whose session this is. @throws ApiProblem, ApiUnreachable */
  async look(): Promise<void> {
    const { data: info } = await this.api.GET('/api/session');
    this.#change({ info, hasToken: true, ended: null });
  }

  /** In every tab that has this session, once the service has heard of it. */
  signOut(): void {
    const { token } = this.#tokens;
    this.#forget(null);
    if (token === null) return;
    this.#apiWith(() => token)
      .DELETE('/api/session')
      .catch((error: unknown) => {
        const wasOver = error instanceof ApiProblem && error.status === 401;
        if (!wasOver && !this.#state.hasToken) this.#change({ ended: unconfirmedWords });
      });
  }

  /** The token is not taken any more. */
  timedOut(): void {
    this.#forget(overWords);
  }

  /** Whether the key may do what needs `needed`. */
  may(needed: Scope): boolean {
    return grants(this.#state.info?.scopes ?? [], needed);
  }

  async #askTabs(): Promise<void> {
    const token = await this.#tokens.ofAnotherTab();
    if (!this.#state.asksTabs) return;
    if (token !== null) this.#tokens.set(token);
    this.#change({ asksTabs: false, hasToken: token !== null });
  }

  /** What fails here the watcher below has heard of. */
  #keepAlive(): void {
    if (this.#state.info !== null) this.look().catch(() => undefined);
  }

  #apiWith(token: () => string | null): ApiClient {
    return createApi(token, {
      answered: (date) => {
        this.clock.hear(date);
        this.#change({ lastAnswer: Date.now(), unreachableSince: null });
      },
      unanswered: () => {
        if (this.#state.unreachableSince === null) this.#change({ unreachableSince: Date.now() });
      },
      // Before anybody was signed in, the sign-in page itself says so.
      keyRefused: () => {
        if (this.#state.info !== null) this.timedOut();
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
  if (session === null) throw new Error('a part of the panel stands outside the session');
  return session;
}

export function useSessionState(): SessionState {
  const session = useSession();
  return useSyncExternalStore(session.subscribe, () => session.state);
}

export function useApi(): ApiClient {
  return useSession().api;
}

/** Whether the key may do what needs `needed`. What it may not do is not offered. */
export function useMay(needed: Scope): boolean {
  const { info } = useSessionState();
  return grants(info?.scopes ?? [], needed);
}
