// Emits `key.expiring` and `key.expired`, each once in a run of the service.
import type { Key } from '../api/keys.ts';
import { Repeated } from '../concurrency/repeated.ts';
import { EXPIRED, stageOf } from '../domain/expiry-stages.ts';
import type { Emit } from '../events/facts.ts';
import { causeText, type Log } from '../telemetry/log.ts';

const everyMs = 60_000;
const dayMs = 86_400_000;
/** What expired earlier was reported by an earlier run. */
const expiredReportedForMs = dayMs;

interface KeyExpiryWatchDeps {
  readonly keys: { list(): Promise<readonly Key[]> };
  readonly emit: Emit;
  readonly log: Pick<Log, 'warn'>;
  readonly now: () => Date;
}

export class KeyExpiryWatch {
  readonly #deps: KeyExpiryWatchDeps;
  readonly #repeated: Repeated;
  /** By name, which is never used again: the last stage that was reported. */
  #reported: ReadonlyMap<string, number> = new Map();

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
    const reported = new Map<string, number>();
    for (const { name, created_at, expires_at, revoked_at } of await this.#deps.keys.list()) {
      if (expires_at === null || revoked_at !== null) continue;
      const end = Date.parse(expires_at);
      const before = this.#reported.get(name) ?? 0;
      const stage = stageOf(Date.parse(created_at), end, now);
      if (stage > before && now - end < expiredReportedForMs) this.#report(name, expires_at, stage, end - now);
      reported.set(name, Math.max(stage, before));
    }
    this.#reported = reported;
  }

  #report(name: string, expires_at: string, stage: number, leftMs: number): void {
    if (stage === EXPIRED) this.#deps.emit('key.expired', { name, expires_at });
    else this.#deps.emit('key.expiring', { name, expires_at, days_left: Math.floor(leftMs / dayMs) });
  }
}
