// Who is signed in, and whether the service answers: what every part of the page may ask.
import { createContext, useContext, useSyncExternalStore } from 'react';
import { grants } from '../../../src/domain/scope.ts';
import { type ApiClient, createApi } from '../api/request.ts';
import type { Scope, SessionInfo } from '../api/types.ts';
import type { KeyStore } from './key-store.ts';

export interface SessionState {
  /** Null: nobody is signed in, or it is not known yet who. */
  readonly info: SessionInfo | null;
  /** There is a key, good or not. */
  readonly hasKey: boolean;
  /** Why somebody who was signed in is not any more. */
  readonly ended: string | null;
  /** When the service last answered anything; milliseconds since 1970. */
  readonly lastAnswer: number | null;
  /** Since when it does not answer; null: it does. */
  readonly unreachableSince: number | null;
}

export class Session {
  readonly api: ApiClient;
  readonly #keys: KeyStore;
  readonly #listeners = new Set<() => void>();
  #state: SessionState;

  constructor(keys: KeyStore) {
    this.#keys = keys;
    this.#state = { info: null, hasKey: keys.key !== null, ended: null, lastAnswer: null, unreachableSince: null };
    this.api = createApi(() => keys.key, {
      answered: () => this.#answered(),
      unanswered: () => this.#unanswered(),
      keyRefused: () => this.#refused(),
    });
  }

  get state(): SessionState {
    return this.#state;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** @throws ApiProblem 401 for a key that is not taken, and then nothing is kept of it */
  async signIn(key: string): Promise<void> {
    this.#keys.set(key);
    try {
      await this.look();
    } catch (error) {
      this.#keys.clear();
      this.#change({ hasKey: false, info: null, ended: null });
      throw error;
    }
  }

  /** Asks who the key of this tab is. @throws ApiProblem, ApiUnreachable */
  async look(): Promise<void> {
    const { data: info } = await this.api.GET('/api/session');
    this.#change({ info, hasKey: true, ended: null });
  }

  signOut(): void {
    this.#keys.clear();
    this.#change({ info: null, hasKey: false, ended: null });
  }

  /** Whether the key may do what needs `needed`. */
  may(needed: Scope): boolean {
    return grants(this.#state.info?.scopes ?? [], needed);
  }

  #answered(): void {
    this.#change({ lastAnswer: Date.now(), unreachableSince: null });
  }

  #unanswered(): void {
    if (this.#state.unreachableSince === null) this.#change({ unreachableSince: Date.now() });
  }

  #refused(): void {
    // Before anybody was signed in, the sign-in page itself says so.
    if (this.#state.info === null) return;
    this.#keys.clear();
    this.#change({
      info: null,
      hasKey: false,
      ended: 'The key is not accepted any more: it was revoked or has ended.',
    });
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
