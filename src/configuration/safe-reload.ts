// The safe reload of the specification: back up, render, validate the exact bytes, switch, reload, prove it by a new
// worker, compare its maps; on any failure the last known good is back on disk within the same operation, and the
// proxy is reloaded with it and with the map files as the database says.

import type { Site } from '../domain/site.ts';
import { codes } from '../errors/catalogue.ts';
import { ServiceError } from '../errors/service-error.ts';
import { crashPoint } from '../faults/crash-point.ts';
import { checkConfiguration } from '../haproxy/binary.ts';
import type { ReloadOutcome } from '../haproxy/reloader.ts';
import { causeText, type Log } from '../telemetry/log.ts';
import type { BackupStore } from './backup-store.ts';
import type { LiveFile } from './live-file.ts';
import type { ReloadKind, ReloadUnderWay } from './reload-under-way.ts';
import type { RenderedConfiguration } from './render.ts';
import { collectGarbage, ensureFiles, filesNamedIn, type NamedFile } from './sites-map.ts';
import { asConfigurationTrouble } from './trouble.ts';

/** What the safe reload needs of the rest of the service. */
export interface ReloadSurroundings {
  render(sites: Iterable<Site> | AsyncIterable<Site>): Promise<RenderedConfiguration>;
  sites(): Promise<Iterable<Site> | AsyncIterable<Site>>;
  /** The map files from the database. @throws ServiceError when they cannot be written */
  writeMaps(): Promise<void>;
  /** Asks for a reload and waits for its proof; starts the proxy where that is the service's job. */
  reloadProxy(): Promise<ReloadOutcome>;
  /** Compares the maps of every worker with the database and repairs them. Warnings for what stayed wrong. */
  verifyWorkers(): Promise<readonly string[]>;
}

export interface ReloadRequest {
  readonly id: string;
  readonly reasons: readonly string[];
  /** Another configuration than the rendered one: a backup to restore. */
  readonly restore?: { readonly configText: string; readonly files: readonly NamedFile[] };
  /** Other sites than the stored ones; `store` keeps them once the reload was confirmed. */
  readonly sites?: { readonly list: readonly Site[]; readonly store: () => Promise<void> };
}

export interface CompletedReload {
  readonly id: string;
  readonly status: 'completed';
  readonly reasons: readonly string[];
  readonly changed: boolean;
  readonly backup: string | null;
  readonly worker_before: number | null;
  readonly worker_after: number | null;
  readonly duration_ms: number;
  readonly warnings: readonly string[];
}

interface Attempt {
  readonly request: ReloadRequest;
  readonly began: number;
  readonly live: string | null;
  readonly backup: string | null;
  readonly warnings: string[];
}

const keptBackups = 20;

export class SafeReload {
  readonly #live: LiveFile;
  readonly #backups: BackupStore;
  readonly #proxyBin: string;
  readonly #sitesMapBase: string;
  readonly #mapFiles: readonly string[];
  readonly #surroundings: ReloadSurroundings;
  readonly #underWay: ReloadUnderWay;
  readonly #log: Log;

  constructor(options: {
    readonly live: LiveFile;
    readonly backups: BackupStore;
    readonly proxyBin: string;
    readonly sitesMapBase: string;
    /** Copied into each backup set, for reading. */
    readonly mapFiles: readonly string[];
    readonly surroundings: ReloadSurroundings;
    /** Told from before the switch until everything is done or undone. */
    readonly underWay: ReloadUnderWay;
    readonly log: Log;
  }) {
    this.#live = options.live;
    this.#backups = options.backups;
    this.#proxyBin = options.proxyBin;
    this.#sitesMapBase = options.sitesMapBase;
    this.#mapFiles = options.mapFiles;
    this.#surroundings = options.surroundings;
    this.#underWay = options.underWay;
    this.#log = options.log;
  }

  /**
   * One reload, start to end; the caller holds the lock.
   * @throws ServiceError 422 (refused by template or proxy; members `output`, `restored`, `worker_before`,
   *   `worker_after`), 503 (not confirmed and rolled back, or the files or the database cannot be used)
   */
  async run(request: ReloadRequest): Promise<CompletedReload> {
    try {
      return await this.#run(request);
    } catch (error) {
      throw asConfigurationTrouble(error, 'safe reload');
    }
  }

  async #run(request: ReloadRequest): Promise<CompletedReload> {
    const began = performance.now();
    const live = await this.#live.read();
    const attempt: Attempt = { request, began, live, backup: await this.#backUp(request, live), warnings: [] };
    crashPoint('reload.backed-up');
    const wanted = await this.#candidate(attempt);
    crashPoint('reload.validated');
    attempt.warnings.push(...wanted.warnings);
    if (wanted.text !== live) {
      await this.#begins(attempt);
      try {
        await wanted.candidate.deploy();
      } catch (error) {
        // The last step of it is the sync of the folder, and by then the new one is in place.
        if ((await this.#live.read()) !== live) return await this.#undo(attempt, error, wanted.text);
        // One that a crash interrupted is still to be made good.
        if (this.#underWay.interrupted === null) await this.#ended();
        throw error;
      }
    } else await wanted.candidate.discard();
    crashPoint('reload.switched');
    let failure: ReloadOutcome & { confirmed: false };
    try {
      await this.#surroundings.writeMaps();
      crashPoint('reload.maps-written');
      const outcome = await this.#surroundings.reloadProxy();
      crashPoint('reload.confirmed');
      if (outcome.confirmed) return await this.#complete(attempt, wanted, outcome);
      failure = outcome;
    } catch (error) {
      return await this.#undo(attempt, error, wanted.text);
    }
    return await this.#rollBack(attempt, failure, wanted.text);
  }

  async #begins({ request }: Attempt): Promise<void> {
    await this.#underWay.begins(kindOf(request));
    crashPoint('reload.noted');
  }

  /** A rollback is made also where it cannot be noted. */
  async #stillUnderWay(attempt: Attempt): Promise<void> {
    try {
      await this.#begins(attempt);
    } catch (error) {
      this.#log.warn('The rollback of a reload could not be noted', { cause: causeText(error) });
    }
  }

  /** What could not be noted costs one reload too many at the next start. */
  async #ended(): Promise<void> {
    try {
      await this.#underWay.ended();
    } catch (error) {
      this.#log.warn('The end of a reload could not be noted', { cause: causeText(error) });
    }
  }

  async #backUp(request: ReloadRequest, live: string | null): Promise<string | null> {
    if (live === null) return null;
    const known = await this.#knownGood();
    if (known !== null && known.configText !== live) {
      const why =
        this.#underWay.interrupted === null
          ? 'was edited by hand'
          : 'is what a reload left that was neither done nor undone';
      this.#log.warn(`The live configuration ${why}; it is kept in the backup`, { path: this.#live.path });
    }
    const { id } = await this.#backups.create({
      reason: request.reasons.join('; ').slice(0, 500),
      configText: live,
      // Also those that no record names: it could not be restored without them.
      extraFiles: await filesNamedIn(this.#sitesMapBase, live),
      mapFiles: this.#mapFiles,
    });
    this.#log.info('Backup created', { backup: id, reload: request.id });
    return id;
  }

  /** Rendered and validated, or the known good is back in force and the refusal is thrown. */
  async #candidate(attempt: Attempt) {
    const { request } = attempt;
    let rendered: { text: string; files: readonly NamedFile[]; warnings: readonly string[] };
    try {
      rendered =
        request.restore === undefined
          ? await this.#surroundings.render(request.sites?.list ?? (await this.#surroundings.sites()))
          : { text: request.restore.configText, files: request.restore.files, warnings: [] };
    } catch (error) {
      if (!(error instanceof ServiceError) || error.status !== 422) throw error;
      const output = typeof error.members['output'] === 'string' ? error.members['output'] : error.message;
      return await this.#refuse(attempt, error.code, error.message, output, error);
    }
    await ensureFiles(rendered.files);
    crashPoint('reload.sites-map-written');
    const candidate = await this.#live.stage(rendered.text);
    crashPoint('reload.candidate-written');
    try {
      // `-c` reads the map files too: one that is damaged must not make a good configuration look bad.
      await this.#surroundings.writeMaps();
      crashPoint('reload.before-validation');
      const check = await checkConfiguration(this.#proxyBin, candidate.path);
      if (check.valid) {
        this.#log.info('Configuration validation passed', { reload: request.id });
        return { ...rendered, candidate };
      }
      const output = check.output.replaceAll(candidate.path, this.#live.path);
      await candidate.discard();
      return await this.#refuse(
        attempt,
        codes.ProxyRefusesConfiguration,
        `HAProxy refuses the new configuration: ${firstAlert(output)}`,
        output,
      );
    } catch (error) {
      await candidate.discard();
      throw error;
    }
  }

  async #refuse(attempt: Attempt, code: number, detail: string, output: string, cause?: unknown): Promise<never> {
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

  async #rollBack(attempt: Attempt, failure: ReloadOutcome & { confirmed: false }, tried: string): Promise<never> {
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

  /** Something else than the proxy failed after the switch: the database, a map file. Nothing of the change stays. */
  async #undo(attempt: Attempt, failure: unknown, tried: string): Promise<never> {
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
    attempt: Attempt,
    how: { readonly tried: string | null; readonly reload: boolean } = { tried: null, reload: true },
  ): Promise<Restored> {
    let outcome: ReloadOutcome | null = null;
    try {
      const recorded = await this.#knownGood();
      const known = recorded ?? (attempt.live === null ? null : { configText: attempt.live, files: [] });
      if (known === null) return { restored: false, problem: 'there is no known good configuration yet', outcome };
      await this.#stillUnderWay(attempt);
      crashPoint('rollback.begun');
      await ensureFiles(known.files);
      crashPoint('rollback.files-written');
      if ((await this.#live.read()) !== known.configText) {
        const candidate = await this.#live.stage(known.configText);
        await candidate.deploy();
      }
      crashPoint('rollback.switched');
      await this.#surroundings.writeMaps();
      crashPoint('rollback.maps-written');
      this.#log.info('Backup restored', { reload: attempt.request.id, backup: attempt.backup });
      if (!how.reload) {
        await this.#ended();
        return { restored: true, problem: null, outcome };
      }
      outcome = await this.#surroundings.reloadProxy();
      crashPoint('rollback.reloaded');
      if (!outcome.confirmed) {
        const problem = `the reload with the known good configuration failed too: ${outcome.detail}${outcome.output === '' ? '' : `: ${outcome.output.slice(0, 2_000)}`}`;
        this.#log.error('Restored configuration was not confirmed', { reload: attempt.request.id, cause: problem });
        // The bytes are back and, where nothing new was deployed, so is what the worker runs.
        return { restored: how.tried === null || known.configText !== how.tried, problem, outcome };
      }
      for (const warning of await this.#verifyWorkers()) this.#log.warn(warning, { reload: attempt.request.id });
      // One that was never recorded names files that are not known here.
      if (recorded !== null) await this.#tidyUp(recorded.files);
      await this.#ended();
      return { restored: true, problem: null, outcome };
    } catch (error) {
      this.#log.error('Restoring the last known good configuration failed', {
        reload: attempt.request.id,
        cause: causeText(error),
      });
      if (how.tried !== null) this.#underWay.leftHalfDone(kindOf(attempt.request));
      return { restored: false, problem: causeText(error), outcome };
    }
  }

  async #complete(
    attempt: Attempt,
    wanted: { text: string; files: readonly NamedFile[] },
    outcome: ReloadOutcome & { confirmed: true },
  ): Promise<CompletedReload> {
    const { request, warnings } = attempt;
    warnings.push(...(await this.#verifyWorkers()));
    crashPoint('reload.verified');
    await request.sites?.store();
    crashPoint('reload.sites-stored');
    await this.#keep(wanted, attempt.backup, warnings);
    await this.#ended();
    this.#log.info('Safe reload completed', {
      reload: request.id,
      reasons: request.reasons,
      changed: wanted.text !== attempt.live,
      worker_before: outcome.workerBefore,
      worker_after: outcome.workerAfter,
      by: outcome.by,
    });
    return {
      id: request.id,
      status: 'completed',
      reasons: request.reasons,
      changed: wanted.text !== attempt.live,
      backup: attempt.backup,
      worker_before: outcome.workerBefore,
      worker_after: outcome.workerAfter,
      duration_ms: Math.round(performance.now() - attempt.began),
      warnings,
    };
  }

  /** A verification that cannot be made now is made by the reconciler; the reload itself is proved. */
  async #verifyWorkers(): Promise<readonly string[]> {
    try {
      return await this.#surroundings.verifyWorkers();
    } catch (error) {
      return [`the maps of the workers could not be compared: ${causeText(error)}`];
    }
  }

  /** What the refused configuration named beside itself goes with it; refusals add no backups for ever either. */
  async #tidyUp(files: readonly NamedFile[]): Promise<void> {
    try {
      await collectGarbage(
        this.#sitesMapBase,
        files.map(({ path }) => path),
      );
      await this.#backups.prune(keptBackups);
    } catch (error) {
      this.#log.warn('What a refused configuration left could not be removed', { cause: causeText(error) });
    }
  }

  /** The reload is done and proved; a full disk now must not make it look failed. */
  async #keep(wanted: { text: string; files: readonly NamedFile[] }, backup: string | null, warnings: string[]) {
    try {
      const before = await this.#knownGood();
      await this.#backups.markKnownGood(wanted.text, wanted.files);
      crashPoint('reload.known-good-recorded');
      const keep = [...wanted.files, ...(before?.files ?? [])].map((file) => file.path);
      await collectGarbage(this.#sitesMapBase, keep);
      await this.#backups.prune(keptBackups);
    } catch (error) {
      const text = `the known good configuration could not be recorded: ${causeText(error)}`;
      warnings.push(text);
      this.#log.warn(text, { backup });
    }
  }

  async #knownGood(): Promise<{ configText: string; files: readonly NamedFile[] } | null> {
    try {
      return await this.#backups.readKnownGood();
    } catch (error) {
      this.#log.error('The last known good configuration cannot be read', { cause: causeText(error) });
      return null;
    }
  }
}

/** The line of HAProxy's output that says what is wrong. */
function firstAlert(output: string): string {
  const lines = output.split('\n').map((line) => line.trim());
  return lines.find((line) => line.includes('[ALERT]')) ?? lines.find((line) => line !== '') ?? 'it gave no reason';
}

interface Restored {
  readonly restored: boolean;
  readonly problem: string | null;
  readonly outcome: ReloadOutcome | null;
}

const leftAlone: Restored = { restored: false, problem: null, outcome: null };

function rollbackText(restored: Restored): string {
  if (restored === leftAlone) return '; the live configuration is what it was';
  if (restored.outcome === null && restored.problem === null)
    return '; the last known good configuration is back on disk';
  if (restored.problem === null) return '; the last known good configuration is back in force';
  return restored.restored
    ? `; the last known good configuration is back on disk, but ${restored.problem}`
    : `; and the rollback failed: ${restored.problem}`;
}

function kindOf({ restore }: ReloadRequest): ReloadKind {
  return restore === undefined ? 'rendered' : 'given';
}
