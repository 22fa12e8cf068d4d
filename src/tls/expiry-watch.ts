// Emits `certificate.expiring` and `certificate.expired`, each once for a version; again after a start of the service.
import type { Certificate } from '../api/certificate-records.ts';
import { pause } from '../concurrency/pause.ts';
import type { Emit } from '../events/facts.ts';
import { causeText, type Log } from '../telemetry/log.ts';
import type { CertificateOperations } from './certificate-operations.ts';

const EVERY_MS = 60_000;
const DAY_MS = 86_400_000;
const PAGE = 1_000;

/** Short-lived certificates: a share of the lifetime. */
const WARNINGS = [
  { stage: 1, leftMs: 14 * DAY_MS, share: 1 / 6 },
  { stage: 2, leftMs: 3 * DAY_MS, share: 1 / 24 },
] as const;
const EXPIRED = 3;
const FIRST_WARNING_MS = WARNINGS[0].leftMs;

interface ExpiryWatchDeps {
  readonly certificates: Pick<CertificateOperations, 'list'>;
  readonly emit: Emit;
  readonly log: Pick<Log, 'warn'>;
  readonly now: () => Date;
}

export class ExpiryWatch {
  readonly #deps: ExpiryWatchDeps;
  readonly #stop = new AbortController();
  /** Of each version, `id/version`: the last stage that was reported. */
  #reported = new Map<string, number>();
  #loop: Promise<void> | null = null;

  constructor(deps: ExpiryWatchDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#loop ??= this.#run();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#loop;
  }

  /** Reports what is due. */
  async check(): Promise<void> {
    const now = this.#deps.now().getTime();
    const reported = new Map<string, number>();
    for await (const certificate of this.#ending()) {
      const version = `${certificate.id}/${certificate.version}`;
      const before = this.#reported.get(version) ?? 0;
      const stage = stageOf(certificate, now);
      if (stage > before) this.#report(certificate, stage);
      reported.set(version, Math.max(stage, before));
    }
    // Without those that were removed or replaced.
    this.#reported = reported;
  }

  async *#ending(): AsyncGenerator<Certificate> {
    let cursor: string | null = null;
    do {
      const page = await this.#deps.certificates.list({ limit: PAGE, cursor, expiresWithinMs: FIRST_WARNING_MS });
      yield* page.items;
      cursor = page.next_cursor;
    } while (cursor !== null);
  }

  #report({ id, names, not_after, sites, days_left }: Certificate, stage: number): void {
    const end = { id, names, not_after, sites };
    if (stage === EXPIRED) this.#deps.emit('certificate.expired', end);
    else this.#deps.emit('certificate.expiring', { ...end, days_left });
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    let failing = false;
    while (!signal.aborted) {
      try {
        await this.check();
        failing = false;
      } catch (error) {
        if (!failing) this.#deps.log.warn('Expiring certificates not checked; retrying', { cause: causeText(error) });
        failing = true;
      }
      await pause(EVERY_MS, { signal, ref: false });
    }
  }
}

function stageOf({ not_before, not_after }: Certificate, now: number): number {
  const end = Date.parse(not_after);
  const left = end - now;
  if (left <= 0) return EXPIRED;
  const lifetime = end - Date.parse(not_before);
  const due = WARNINGS.filter(({ leftMs, share }) => left <= Math.min(leftMs, lifetime * share));
  return due.at(-1)?.stage ?? 0;
}
