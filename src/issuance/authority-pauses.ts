// When an authority is not asked: it stated a limit, or did not answer. Pauses are stored.
import type { AcmeRefusal, AcmeUnreachable } from '../acme/authority.ts';
import type { AcmeAccountsStore, AcmePause, PauseScope } from '../store/acme-accounts-store.ts';
import type { Log } from '../telemetry/log.ts';
import { authorityProblem, ownProblem } from './problems.ts';
import { FURTHEST_MS, reachableAt } from './schedule.ts';

interface PausesDeps {
  readonly store: Pick<AcmeAccountsStore, 'pauses' | 'pause' | 'endPause'>;
  readonly onPaused: (pause: AcmePause) => void;
  readonly log: Pick<Log, 'warn'>;
  readonly now: () => Date;
}

/** Of a 429 without a time. */
const LIMITED_MS = 3_600_000;

export class AuthorityPauses {
  readonly #deps: PausesDeps;

  constructor(deps: PausesDeps) {
    this.#deps = deps;
  }

  /** Null: it may be asked. A pause of the past is over. @param begins whether a new order is meant */
  async until(directory: string, begins: boolean): Promise<Date | null> {
    const now = this.#deps.now();
    const scopes: readonly PauseScope[] = begins ? ['requests', 'orders'] : ['requests'];
    const pauses = (await this.#deps.store.pauses()).filter(
      (one) => one.directory === directory && scopes.includes(one.scope) && one.until > now,
    );
    return pauses.at(-1)?.until ?? null;
  }

  /** The authority answers again: pauses are over, and the next failure is the first. @param begins an order was begun */
  async reached(directory: string, begins: boolean): Promise<void> {
    const { store, now } = this.#deps;
    for (const { scope, ...pause } of await store.pauses()) {
      if (pause.directory !== directory || pause.until > now()) continue;
      if (scope === 'requests' || begins) await store.endPause(directory, scope, now());
    }
  }

  /** The authority stated a limit. */
  async limited(directory: string, scope: PauseScope, { problem, retryAfter }: AcmeRefusal): Promise<AcmePause> {
    const now = this.#deps.now();
    const until = retryAfter ?? new Date(now.getTime() + LIMITED_MS);
    return await this.#pause({
      ...{ directory, scope, until, failures: 0 },
      problem: { ...authorityProblem(problem, now), class: 'limited' },
    });
  }

  /** It did not answer. */
  async unreachable(directory: string, { message, retryAfter }: AcmeUnreachable): Promise<AcmePause> {
    const now = this.#deps.now();
    const before = (await this.#deps.store.pauses()).find(
      (one) => one.directory === directory && one.scope === 'requests',
    );
    // Requests that failed at the same time count as one failure.
    const isOne = before !== undefined && before.until > now && before.failures > 0;
    const failures = isOne ? before.failures : (before?.failures ?? 0) + 1;
    const until = new Date(Math.max(reachableAt(failures, now).getTime(), retryAfter?.getTime() ?? 0));
    const problem = ownProblem('will retry', { type: 'unreachable', detail: message }, now);
    return await this.#pause({ directory, scope: 'requests', until, failures, problem });
  }

  async #pause(wanted: AcmePause): Promise<AcmePause> {
    const { store, onPaused, log, now } = this.#deps;
    const until = new Date(Math.min(wanted.until.getTime(), now().getTime() + FURTHEST_MS.pause));
    const pause = { ...wanted, until };
    await store.pause(pause);
    const { directory, scope, problem } = pause;
    log.warn('Authority paused', { directory, scope, until: until.toISOString(), cause: problem.detail });
    onPaused(pause);
    return pause;
  }
}

export function isLimit({ problem }: AcmeRefusal): boolean {
  return problem.status === 429 || problem.type === 'rateLimited';
}
