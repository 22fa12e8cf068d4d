// Emits `site.down` and `site.up`, by what HAProxy says of the backends of the sites.
import { Repeated } from '../concurrency/repeated.ts';
import type { Emit } from '../events/facts.ts';
import type { ProxyStat } from '../haproxy/process/proxy-stats.ts';
import { causeText, type Log } from '../telemetry/log.ts';

const everyMs = 10_000;
/** Readings in succession. A new worker counts each server as up until its checks have failed. */
const agreeing = { down: 2, up: 4 };

interface SiteWatchDeps {
  /** Whether there is any site: without one, HAProxy is not asked. */
  readonly anySite: () => Promise<boolean>;
  /** Of all backends. `siteOf`: the domain of a backend's site; empty: it is none of a site. */
  readonly read: () => Promise<{ stats: readonly ProxyStat[]; siteOf: (backend: string) => string }>;
  /** Reported by an earlier run of the service, and not as up since. */
  readonly downBefore: () => Promise<readonly string[]>;
  readonly emit: Emit;
  readonly log: Pick<Log, 'warn'>;
}

export class SiteWatch {
  readonly #deps: SiteWatchDeps;
  readonly #repeated: Repeated;
  /** Reported as down. Null: not known yet. */
  #down: Set<string> | null = null;
  /** How many readings in succession said otherwise than what was reported. */
  #otherwise: ReadonlyMap<string, number> = new Map();

  constructor(deps: SiteWatchDeps) {
    this.#deps = deps;
    this.#repeated = new Repeated({
      work: () => this.check(),
      everyMs,
      failed: (error) => {
        deps.log.warn('The state of the sites could not be read; retrying', { cause: causeText(error) });
      },
    });
  }

  start(): void {
    this.#repeated.start();
  }

  async stop(): Promise<void> {
    await this.#repeated.stop();
  }

  /** One reading. */
  async check(): Promise<void> {
    const { anySite, read, downBefore, emit } = this.#deps;
    this.#down ??= new Set(await downBefore());
    const reported = this.#down;
    if (reported.size === 0 && !(await anySite())) return;
    const { stats, siteOf } = await read();
    const down = new Set(stats.filter((stat) => stat.down).map(({ name }) => siteOf(name)));
    down.delete('');
    const otherwise = new Map<string, number>();
    // A disabled or removed site has no backend: it is not down.
    for (const domain of new Set([...down, ...reported])) {
      const isDown = down.has(domain);
      if (isDown === reported.has(domain)) continue;
      const readings = (this.#otherwise.get(domain) ?? 0) + 1;
      if (readings < (isDown ? agreeing.down : agreeing.up)) {
        otherwise.set(domain, readings);
      } else if (isDown) {
        reported.add(domain);
        emit('site.down', { domain });
      } else {
        reported.delete(domain);
        emit('site.up', { domain });
      }
    }
    this.#otherwise = otherwise;
  }
}
