// Emits `key.expiring` and `key.expired`. What an open notice says is not reported again by the next run of the service.
import type { Key } from '../api/keys.ts';
import { Repeated } from '../concurrency/repeated.ts';
import { EXPIRED, stageOf, WARNINGS } from '../domain/expiry-stages.ts';
import type { Emit } from '../events/facts.ts';
import { causeText, type Log } from '../telemetry/log.ts';

const everyMs = 60_000;
const dayMs = 86_400_000;
/** What expired earlier, and was never announced, is no news. */
const expiredReportedForMs = dayMs;
/** A key that lives shorter is made to expire. */
const leastLifetimeMs = 3 * dayMs;

interface KeyExpiryWatchDeps {
  readonly keys: { list(): Promise<readonly Key[]> };
  /** The names of keys with an open notice of this type. */
  readonly reported: (type: 'key.expiring' | 'key.expired') => Promise<readonly string[]>;
  readonly emit: Emit;
  readonly log: Pick<Log, 'warn'>;
  readonly now: () => Date;
}

export class KeyExpiryWatch {
  readonly #deps: KeyExpiryWatchDeps;
  readonly #repeated: Repeated;
  /** By name, which is never used again: the last stage that was reported. Null: not known yet. */
  #reported: ReadonlyMap<string, number> | null = null;

  constructor(deps: KeyExpiryWatchDeps) {
    this.#deps = deps;
    this.#repeated = new Repeated({
      work: () => this.check(),
      everyMs,
      failed: (error) => {
        deps.log.warn('Expiring keys not checked; retrying', { cause: causeText(error) });
      },
    });
  }

  start(): void {
    this.#repeated.start();
  }

  async stop(): Promise<void> {
    await this.#repeated.stop();
  }

  /** Reports what is due. */
  async check(): Promise<void> {
    const now = this.#deps.now().getTime();
    this.#reported ??= await this.#reportedBefore();
    const reported = new Map<string, number>();
    for (const { name, created_at, expires_at, revoked_at } of await this.#deps.keys.list()) {
      if (expires_at === null || revoked_at !== null) continue;
      const [from, end] = [Date.parse(created_at), Date.parse(expires_at)];
      if (end - from < leastLifetimeMs) continue;
      const before = this.#reported.get(name) ?? 0;
      const stage = stageOf(from, end, now);
      const isNews = before > 0 || now - end < expiredReportedForMs;
      if (stage > before && isNews) this.#report(name, expires_at, stage, end - now);
      reported.set(name, Math.max(stage, before));
    }
    this.#reported = reported;
  }

  async #reportedBefore(): Promise<Map<string, number>> {
    const { reported } = this.#deps;
    const [expiring, expired] = [await reported('key.expiring'), await reported('key.expired')];
    return new Map([
      ...expiring.map((name) => [name, WARNINGS[0].stage] as const),
      ...expired.map((name) => [name, EXPIRED] as const),
    ]);
  }

  #report(name: string, expires_at: string, stage: number, leftMs: number): void {
    if (stage === EXPIRED) this.#deps.emit('key.expired', { name, expires_at });
    else this.#deps.emit('key.expiring', { name, expires_at, days_left: Math.floor(leftMs / dayMs) });
  }
}
