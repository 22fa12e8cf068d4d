// After a failed safe reload the last known good configuration is restored, reloaded and proved within the same
// operation. If that fails too, the error names both causes.
import { codes } from '../../errors/catalogue.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { crashPoint } from '../../faults/crash-point.ts';
import type { ReloadOutcome } from '../../haproxy/process/reloader.ts';
import { causeText, type Log } from '../../telemetry/log.ts';
import type { BackupStore } from '../backups/backup-store.ts';
import { lastKnownGood } from '../backups/last-known-good.ts';
import { collectGarbage, ensureFiles, filesNamedIn, type NamedFile } from '../template/sites-map.ts';
import { toConfigurationError } from './configuration-error.ts';
import type { LiveFile } from './live-file.ts';
import type { ReloadMarker } from './reload-marker.ts';
import type { ReloadPorts, ReloadRequest } from './reload-request.ts';
import { comparisonWarnings } from './worker-comparison.ts';

type Unconfirmed = ReloadOutcome & { readonly confirmed: false };

export interface RollbackDeps {
  readonly live: LiveFile;
  readonly backups: BackupStore;
  /** Of the content-addressed files that a configuration may name. */
  readonly fileBases: readonly string[];
  readonly ports: ReloadPorts;
  readonly marker: ReloadMarker;
  readonly log: Log;
  readonly comparisonTimeoutMs?: number;
}

export interface ReloadAttempt {
  readonly request: ReloadRequest;
  readonly began: number;
  readonly live: string | null;
  /** Not written by proxy-manager: a failure restores this text, and nothing older. */
  readonly isForeign: boolean;
  /** The backup of `live`. */
  readonly backup: string | null;
  readonly warnings: string[];
}

interface Restored {
  readonly restored: boolean;
  readonly problem: string | null;
  readonly outcome: ReloadOutcome | null;
  /** The backup of an edit made during the reload. */
  readonly keptEdit: string | null;
}

const unchanged: Restored = { restored: false, problem: null, outcome: null, keptEdit: null };

export class Rollback {
  readonly #deps: RollbackDeps;

  constructor(deps: RollbackDeps) {
    this.#deps = deps;
  }

  /** Template or proxy refused the candidate, which was never live. @throws ServiceError 422 with `code`, always */
  async refused(attempt: ReloadAttempt, code: number, detail: string, output: string, cause?: unknown): Promise<never> {
    this.#deps.log.error('Configuration validation failed', { reload: attempt.request.id, output });
    const restored = await this.#restore(attempt, null);
    throw new ServiceError(code, 'safe reload', detail, {
      ...(cause === undefined ? {} : { cause }),
      members: { ...failureMembers(attempt, restored), output },
    });
  }

  /** No new worker proved the reload. @throws ServiceError 503, always */
  async unconfirmed(attempt: ReloadAttempt, failure: Unconfirmed, tried: string): Promise<never> {
    const { reason } = failure;
    const cause = withOutput(failure);
    this.#deps.log.error('Reload failed', { reload: attempt.request.id, reason, cause });
    // If the file is unchanged, only HAProxy's own refusal shows a fault in it.
    const isUntouched = tried === attempt.live && reason !== 'refused';
    const restored = isUntouched ? unchanged : await this.#restore(attempt, tried, reason !== 'not-running');
    throw new ServiceError(
      reason === 'not-running' ? codes.ProxyNotRunning : codes.ReloadRolledBack,
      'safe reload',
      `the reload was not confirmed: ${cause}${rollbackText(restored)}`,
      {
        retryAfterSeconds: 10,
        members: {
          ...failureMembers(attempt, restored),
          output: failure.output,
          worker_before: failure.workerBefore,
          worker_after: restored.outcome?.workerAfter ?? failure.workerAfter,
        },
      },
    );
  }

  /** Something other than HAProxy failed after the switch, such as the database or a map file. @throws always */
  async afterError(attempt: ReloadAttempt, failure: unknown, tried: string): Promise<never> {
    const error = toConfigurationError(failure, 'safe reload');
    this.#deps.log.error('Reload failed', {
      reload: attempt.request.id,
      reason: 'interrupted',
      cause: causeText(failure),
    });
    const restored = await this.#restore(attempt, tried);
    if (!(error instanceof ServiceError)) throw error;
    throw new ServiceError(error.code, 'safe reload', `${error.detail}${rollbackText(restored)}`, {
      cause: failure,
      retryAfterSeconds: error.retryAfterSeconds ?? 10,
      members: { ...error.members, ...failureMembers(attempt, restored) },
    });
  }

  /**
   * Restores disk, proxy and maps. Returns a failure instead of throwing it.
   * @param tried the deployed text; null: none
   */
  async #restore(attempt: ReloadAttempt, tried: string | null, reload = true): Promise<Restored> {
    const { live, log, marker, ports } = this.#deps;
    const { request } = attempt;
    let outcome: ReloadOutcome | null = null;
    let keptEdit: string | null = null;
    try {
      const recorded = await this.#configurationToRestore(attempt);
      const known = recorded ?? (attempt.live === null ? null : { configText: attempt.live, files: [] });
      if (known === null) return { ...unchanged, problem: 'there is no known good configuration yet' };
      const current = await live.read();
      const isEdited = current !== null && ![attempt.live, tried, known.configText].includes(current);
      if (isEdited && tried === null) {
        log.warn('The live configuration was edited meanwhile; it is left unchanged', { path: live.path });
        return unchanged;
      }
      await this.#setMarker(request);
      crashPoint('rollback.begun');
      await ensureFiles(known.files);
      crashPoint('rollback.files-written');
      if (isEdited) keptEdit = await this.#backUpEdit(request, current);
      if (current !== known.configText) {
        const candidate = await live.stage(known.configText);
        await candidate.deploy(current);
      }
      crashPoint('rollback.switched');
      await ports.writeMaps();
      crashPoint('rollback.maps-written');
      log.info('Backup restored', { reload: request.id, backup: attempt.backup });
      if (reload) {
        outcome = await ports.reloadProxy();
        crashPoint('rollback.reloaded');
        if (!outcome.confirmed) {
          const problem = `the reload with the known good configuration failed too: ${withOutput(outcome)}`;
          log.error('Restored configuration was not confirmed', { reload: request.id, cause: problem });
          // The file is restored and, unless the same text was just tried, the worker still runs it.
          return { restored: tried === null || known.configText !== tried, problem, outcome, keptEdit };
        }
        for (const warning of await comparisonWarnings(ports, this.#deps.comparisonTimeoutMs))
          log.warn(warning, { reload: request.id });
        // A configuration that was never recorded names unknown files.
        if (recorded !== null) await this.#removeUnusedFiles(recorded.files);
      }
      await marker.clear();
      return { restored: true, problem: null, outcome, keptEdit };
    } catch (error) {
      const problem = causeText(error);
      log.error('Restoring the last known good configuration failed', { reload: request.id, cause: problem });
      if (tried !== null) marker.leaveInterrupted(request);
      return { restored: false, problem, outcome, keptEdit };
    }
  }

  /**
   * The last known good. A file that proxy-manager did not write is never replaced by something older: it is restored
   * itself, unless HAProxy refused that very text.
   */
  async #configurationToRestore({ request, live, isForeign }: ReloadAttempt) {
    const { backups, fileBases, log } = this.#deps;
    if (!isForeign || live === null || request.restore?.configText === live) return await lastKnownGood(backups, log);
    return { configText: live, files: await filesNamedIn(fileBases, live) };
  }

  /** Keeps an edit made since the switch, which the restore replaces. Returns the id of the backup. */
  async #backUpEdit(request: ReloadRequest, configText: string): Promise<string> {
    const { backups, live, log, fileBases } = this.#deps;
    const { id } = await backups.create({
      reason: `edited during the reload ${request.id}, which was rolled back`,
      configText,
      writtenBy: 'other',
      extraFiles: await filesNamedIn(fileBases, configText),
      mapFiles: [],
    });
    log.warn('The live configuration was edited meanwhile; a backup keeps the edit', { path: live.path, backup: id });
    return id;
  }

  /** A rollback runs even if its marker cannot be written. */
  async #setMarker(request: ReloadRequest): Promise<void> {
    try {
      await this.#deps.marker.set(request);
    } catch (error) {
      this.#deps.log.warn('Could not write the reload marker of a rollback', { cause: causeText(error) });
    }
  }

  async #removeUnusedFiles(files: readonly NamedFile[]): Promise<void> {
    const { backups, log, fileBases } = this.#deps;
    try {
      await collectGarbage(
        fileBases,
        files.map(({ path }) => path),
      );
      await backups.prune();
    } catch (error) {
      log.warn('Files of a refused configuration could not be removed', { cause: causeText(error) });
    }
  }
}

function withOutput({ detail, output }: Unconfirmed): string {
  return output === '' ? detail : `${detail}: ${output.slice(0, 2_000)}`;
}

function failureMembers({ request, began, backup }: ReloadAttempt, { restored, problem, outcome }: Restored) {
  return {
    id: request.id,
    reasons: request.reasons,
    backup,
    restored,
    ...(problem === null ? {} : { restore_failure: problem }),
    worker_before: outcome?.workerBefore ?? null,
    worker_after: outcome?.workerAfter ?? null,
    duration_ms: Math.round(performance.now() - began),
  };
}

function rollbackText(restored: Restored): string {
  const edit = restored.keptEdit === null ? '' : `; an edit made meanwhile is the backup ${restored.keptEdit}`;
  return `; ${resultText(restored)}${edit}`;
}

function resultText(result: Restored): string {
  const { restored, problem, outcome } = result;
  if (result === unchanged) return 'the live configuration is unchanged';
  if (problem === null) return `the last known good configuration is back ${outcome === null ? 'on disk' : 'in force'}`;
  return restored
    ? `the last known good configuration is back on disk, but ${problem}`
    : `and the rollback failed: ${problem}`;
}
