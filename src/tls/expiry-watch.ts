// Emits `certificate.expiring` and `certificate.expired`, each once for a version. What was reported is in the database;
// a crash in between repeats a report.
import type { Certificate } from '../api/certificate-records.ts';
import { Repeated } from '../concurrency/repeated.ts';
import { EXPIRED, stageOf, WARNINGS } from '../domain/expiry-stages.ts';
import type { Emit } from '../events/facts.ts';
import { causeText, type Log } from '../telemetry/log.ts';
import type { CertificateOperations } from './certificate-operations.ts';

const EVERY_MS = 60_000;
const PAGE = 1_000;

const FIRST_WARNING_MS = WARNINGS[0].leftMs;

/** What was reported of a version, in the database. */
export interface ReportedStages {
  /** By `id/version`. */
  reportedStages(): Promise<ReadonlyMap<string, number>>;
  setReportedStage(id: string, version: number, stage: number): Promise<void>;
}

interface ExpiryWatchDeps {
  readonly certificates: Pick<CertificateOperations, 'list'>;
  readonly reported: ReportedStages;
  readonly emit: Emit;
  readonly log: Pick<Log, 'warn'>;
  readonly now: () => Date;
}

export class ExpiryWatch {
  readonly #deps: ExpiryWatchDeps;
  readonly #repeated: Repeated;
  /** Of each version, `id/version`: the last stage that was reported. Null: not read from the database yet. */
  #reported: ReadonlyMap<string, number> | null = null;
  /** Reported, and not stored yet because of a full disk, for example. */
  readonly #unstored = new Map<string, { readonly id: string; readonly version: number; readonly stage: number }>();

  constructor(deps: ExpiryWatchDeps) {
    this.#deps = deps;
    this.#repeated = new Repeated({
      work: () => this.check(),
      everyMs: EVERY_MS,
      failed: (error) => {
        deps.log.warn('Expiring certificates not checked; retrying', { cause: causeText(error) });
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
    this.#reported ??= await this.#deps.reported.reportedStages();
    const reported = new Map<string, number>();
    for await (const certificate of this.#ending()) {
      const { id, version } = certificate;
      const key = `${id}/${version}`;
      const before = this.#reported.get(key) ?? 0;
      const stage = stageOf(Date.parse(certificate.not_before), Date.parse(certificate.not_after), now);
      if (stage > before) {
        this.#report(certificate, stage);
        this.#unstored.set(key, { id, version, stage });
      }
      reported.set(key, Math.max(stage, before));
    }
    // Without those that were removed or replaced.
    this.#reported = reported;
    for (const [key, { id, version, stage }] of this.#unstored) {
      await this.#deps.reported.setReportedStage(id, version, stage);
      this.#unstored.delete(key);
    }
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
}
