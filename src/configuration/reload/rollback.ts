// The way back of a safe reload that was refused, not confirmed, or failed after its switch: the last known good is on
// disk and in the proxy again within the same operation, and both causes are told where the way back fails too.
import { codes } from '../../errors/catalogue.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { crashPoint } from '../../faults/crash-point.ts';
import type { ReloadOutcome } from '../../haproxy/process/reloader.ts';
import { causeText, type Log } from '../../telemetry/log.ts';
import type { BackupStore } from '../backups/backup-store.ts';
import { lastKnownGood } from '../backups/last-known-good.ts';
import { collectGarbage, ensureFiles, filesNamedIn, type NamedFile } from '../template/sites-map.ts';
import { comparisonWarnings } from './comparison-warnings.ts';
import type { LiveFile } from './live-file.ts';
import { kindOf, noteBegun, noteEnded } from './reload-note.ts';
import type { ReloadAttempt, ReloadSurroundings } from './reload-request.ts';
import type { ReloadUnderWay } from './reload-under-way.ts';
import { asConfigurationTrouble } from './trouble.ts';

interface Restored {
  readonly restored: boolean;
  readonly problem: string | null;
  readonly outcome: ReloadOutcome | null;
  /** The backup of an edit that was made meanwhile. */
  readonly keptEdit: string | null;
}

const leftAlone: Restored = { restored: false, problem: null, outcome: null, keptEdit: null };

function rollbackText(restored: Restored): string {
  const edit = restored.keptEdit === null ? '' : `; an edit made meanwhile is the backup ${restored.keptEdit}`;
  return `${wayBackText(restored)}${edit}`;
}

function wayBackText(restored: Restored): string {
  if (restored === leftAlone) return '; the live configuration is what it was';
  if (restored.outcome === null && restored.problem === null)
    return '; the last known good configuration is back on disk';
  if (restored.problem === null) return '; the last known good configuration is back in force';
  return restored.restored
    ? `; the last known good configuration is back on disk, but ${restored.problem}`
    : `; and the rollback failed: ${restored.problem}`;
}

export class Rollback {
  readonly #live: LiveFile;
  readonly #backups: BackupStore;
  readonly #sitesMapBase: string;
  readonly #surroundings: ReloadSurroundings;
  readonly #underWay: ReloadUnderWay;
  readonly #log: Log;
  readonly #comparisonPatienceMs: number;

  constructor(options: {
    readonly live: LiveFile;
    readonly backups: BackupStore;
    readonly sitesMapBase: string;
    readonly surroundings: ReloadSurroundings;
    readonly underWay: ReloadUnderWay;
    readonly log: Log;
    readonly comparisonPatienceMs: number;
  }) {
    this.#live = options.live;
    this.#backups = options.backups;
    this.#sitesMapBase = options.sitesMapBase;
    this.#surroundings = options.surroundings;
    this.#underWay = options.underWay;
    this.#log = options.log;
    this.#comparisonPatienceMs = options.comparisonPatienceMs;
  }

  /** Template or proxy refused the candidate, which was never live. @throws ServiceError 422 by `code`, always */
  async refuse(attempt: ReloadAttempt, code: number, detail: string, output: string, cause?: unknown): Promise<never> {
    const { request } = attempt;
    this.#log.error('Configuration validation failed', { reload: request.id, output });
    const restored = await this.#restore(attempt);
    throw new ServiceError(code, 'safe reload', detail, {
      ...(cause === undefined ? {} : { cause }),
      members: {
        id: request.id,
        reasons: request.reasons,
        backup: attempt.backup,
        output,
        restored: restored.restored,
        ...(restored.problem === null ? {} : { restore_failure: restored.problem }),
        worker_before: restored.outcome?.workerBefore ?? null,
        worker_after: restored.outcome?.workerAfter ?? null,
        duration_ms: Math.round(performance.now() - attempt.began),
      },
    });
  }

  /** The reload was not confirmed. @throws ServiceError 503, always */
  async rollBack(attempt: ReloadAttempt, failure: ReloadOutcome & { confirmed: false }, tried: string): Promise<never> {
    const { request } = attempt;
    const why = `${failure.detail}${failure.output === '' ? '' : `: ${failure.output.slice(0, 2_000)}`}`;
    this.#log.error('Reload failed', { reload: request.id, reason: failure.reason, cause: why });
    const notRunning = failure.reason === 'not-running';
    // The live file is what it was before; only the proxy's own refusal says that something is wrong with it.
    const untouched = tried === attempt.live && failure.reason !== 'refused';
    const restored = untouched ? leftAlone : await this.#restore(attempt, { tried, reload: !notRunning });
    throw new ServiceError(
      notRunning ? codes.ProxyNotRunning : codes.ReloadRolledBack,
      'safe reload',
      `the reload was not confirmed: ${why}${rollbackText(restored)}`,
      {
        retryAfterSeconds: 10,
        members: {
          id: request.id,
          reasons: request.reasons,
          backup: attempt.backup,
          output: failure.output,
          restored: restored.restored,
          ...(restored.problem === null ? {} : { restore_failure: restored.problem }),
          worker_before: failure.workerBefore,
          worker_after: restored.outcome?.workerAfter ?? failure.workerAfter,
          duration_ms: Math.round(performance.now() - attempt.began),
        },
      },
    );
  }

  /** Something else than the proxy failed after the switch: the database, a map file. Nothing of the change stays. @throws always */
  async undo(attempt: ReloadAttempt, failure: unknown, tried: string): Promise<never> {
    const { request } = attempt;
    const known = asConfigurationTrouble(failure, 'safe reload');
    this.#log.error('Reload failed', { reload: request.id, reason: 'interrupted', cause: causeText(failure) });
    const restored = await this.#restore(attempt, { tried, reload: true });
    if (!(known instanceof ServiceError)) throw known;
    throw new ServiceError(known.code, 'safe reload', `${known.detail}${rollbackText(restored)}`, {
      cause: failure,
      retryAfterSeconds: known.retryAfterSeconds ?? 10,
      members: {
        ...known.members,
        id: request.id,
        reasons: request.reasons,
        backup: attempt.backup,
        restored: restored.restored,
        ...(restored.problem === null ? {} : { restore_failure: restored.problem }),
        worker_before: restored.outcome?.workerBefore ?? null,
        worker_after: restored.outcome?.workerAfter ?? null,
        duration_ms: Math.round(performance.now() - attempt.began),
      },
    });
  }

  /** The last known good on disk, in the proxy, with the maps of the database; what failed of it is told, not thrown. */
  async #restore(
    attempt: ReloadAttempt,
    how: { readonly tried: string | null; readonly reload: boolean } = { tried: null, reload: true },
  ): Promise<Restored> {
    let outcome: ReloadOutcome | null = null;
    let keptEdit: string | null = null;
    try {
      const recorded = await this.#toRestore(attempt);
      const known = recorded ?? (attempt.live === null ? null : { configText: attempt.live, files: [] });
      if (known === null)
        return { restored: false, problem: 'there is no known good configuration yet', outcome, keptEdit };
      const current = await this.#live.read();
      const isEdited = current !== null && ![attempt.live, how.tried, known.configText].includes(current);
      if (isEdited && how.tried === null) {
        this.#log.warn('The live configuration was edited meanwhile; it is left as it is', { path: this.#live.path });
        return leftAlone;
      }
      await this.#stillUnderWay(attempt);
      crashPoint('rollback.begun');
      await ensureFiles(known.files);
      crashPoint('rollback.files-written');
      if (isEdited) keptEdit = await this.#keepEdit(attempt, current);
      if (current !== known.configText) {
        const candidate = await this.#live.stage(known.configText);
        await candidate.deploy(current);
      }
      crashPoint('rollback.switched');
      await this.#surroundings.writeMaps();
      crashPoint('rollback.maps-written');
      this.#log.info('Backup restored', { reload: attempt.request.id, backup: attempt.backup });
      if (!how.reload) {
        await noteEnded(this.#underWay, this.#log);
        return { restored: true, problem: null, outcome, keptEdit };
      }
      outcome = await this.#surroundings.reloadProxy();
      crashPoint('rollback.reloaded');
      if (!outcome.confirmed) {
        const problem = `the reload with the known good configuration failed too: ${outcome.detail}${outcome.output === '' ? '' : `: ${outcome.output.slice(0, 2_000)}`}`;
        this.#log.error('Restored configuration was not confirmed', { reload: attempt.request.id, cause: problem });
        // The bytes are back and, where nothing new was deployed, so is what the worker runs.
        return { restored: how.tried === null || known.configText !== how.tried, problem, outcome, keptEdit };
      }
      for (const warning of await comparisonWarnings(this.#surroundings, this.#comparisonPatienceMs))
        this.#log.warn(warning, { reload: attempt.request.id });
      // One that was never recorded names files that are not known here.
      if (recorded !== null) await this.#tidyUp(recorded.files);
      await noteEnded(this.#underWay, this.#log);
      return { restored: true, problem: null, outcome, keptEdit };
    } catch (error) {
      this.#log.error('Restoring the last known good configuration failed', {
        reload: attempt.request.id,
        cause: causeText(error),
      });
      if (how.tried !== null) this.#underWay.leftHalfDone(kindOf(attempt.request));
      return { restored: false, problem: causeText(error), outcome, keptEdit };
    }
  }

  /**
   * The last known good; or what was live before, where somebody else wrote that: it is not ours to replace by something
   * older. One that the proxy itself refused is no way back.
   */
  async #toRestore({ request, live, isOthers }: ReloadAttempt) {
    if (!isOthers || live === null || request.restore?.configText === live) {
      return await lastKnownGood(this.#backups, this.#log);
    }
    return { configText: live, files: await filesNamedIn(this.#sitesMapBase, live) };
  }

  /** What was saved since the switch gives way to what is known to work, and is not lost. Gives back the backup's id. */
  async #keepEdit({ request }: ReloadAttempt, configText: string): Promise<string> {
    const { id } = await this.#backups.create({
      reason: `edited while the reload ${request.id} was made, and rolled back with it`,
      configText,
      writtenBy: 'other',
      extraFiles: await filesNamedIn(this.#sitesMapBase, configText),
      mapFiles: [],
    });
    this.#log.warn('The live configuration was edited meanwhile; it is kept in a backup', {
      path: this.#live.path,
      backup: id,
    });
    return id;
  }

  /** A rollback is made also where it cannot be noted. */
  async #stillUnderWay(attempt: ReloadAttempt): Promise<void> {
    try {
      await noteBegun(this.#underWay, attempt.request);
    } catch (error) {
      this.#log.warn('The rollback of a reload could not be noted', { cause: causeText(error) });
    }
  }

  /** What the refused configuration named beside itself goes with it. */
  async #tidyUp(files: readonly NamedFile[]): Promise<void> {
    try {
      await collectGarbage(
        this.#sitesMapBase,
        files.map(({ path }) => path),
      );
      await this.#backups.prune();
    } catch (error) {
      this.#log.warn('What a refused configuration left could not be removed', { cause: causeText(error) });
    }
  }
}
