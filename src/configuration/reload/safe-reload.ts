// The safe reload (rule 12): back up, render, validate the exact bytes, switch, reload, prove it by a new
// worker, compare its maps; on any failure the last known good is back on disk within the same operation, and the
// proxy is reloaded with it and with the map files as the database says.

import { codes } from '../../errors/catalogue.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { crashPoint } from '../../faults/crash-point.ts';
import { checkConfiguration } from '../../haproxy/process/binary.ts';
import type { ReloadOutcome } from '../../haproxy/process/reloader.ts';
import { causeText, type Log } from '../../telemetry/log.ts';
import type { BackupStore } from '../backups/backup-store.ts';
import { lastKnownGood } from '../backups/last-known-good.ts';
import { collectGarbage, ensureFiles, filesNamedIn, type NamedFile } from '../template/sites-map.ts';
import { comparisonPatienceMs } from './comparison-patience.ts';
import { comparisonWarnings } from './comparison-warnings.ts';
import type { LiveFile } from './live-file.ts';
import type { LiveOrigin } from './live-origin.ts';
import { firstAlert, proxyWarnings } from './proxy-warnings.ts';
import { noteBegun, noteEnded } from './reload-note.ts';
import type { CompletedReload, ReloadAttempt, ReloadRequest, ReloadSurroundings } from './reload-request.ts';
import type { ReloadUnderWay } from './reload-under-way.ts';
import { refuseEditedMeanwhile, refuseToReplace } from './replace-consent.ts';
import { Rollback } from './rollback.ts';
import { asConfigurationTrouble } from './trouble.ts';

/** What is to be in force. */
interface Wanted {
  readonly text: string;
  readonly files: readonly NamedFile[];
  readonly warnings: readonly string[];
}

export class SafeReload {
  readonly #live: LiveFile;
  readonly #origin: LiveOrigin;
  readonly #backups: BackupStore;
  readonly #proxyBin: string;
  readonly #sitesMapBase: string;
  readonly #mapFiles: readonly string[];
  readonly #surroundings: ReloadSurroundings;
  readonly #underWay: ReloadUnderWay;
  readonly #log: Log;
  readonly #comparisonPatienceMs: number;
  readonly #rollback: Rollback;

  constructor(options: {
    readonly live: LiveFile;
    readonly origin: LiveOrigin;
    readonly backups: BackupStore;
    readonly proxyBin: string;
    readonly sitesMapBase: string;
    /** Copied into each backup set, for reading. */
    readonly mapFiles: readonly string[];
    readonly surroundings: ReloadSurroundings;
    /** Told from before the switch until everything is done or undone. */
    readonly underWay: ReloadUnderWay;
    readonly log: Log;
    /** What a comparison takes beyond this goes on after the reload. */
    readonly comparisonPatienceMs?: number;
  }) {
    this.#live = options.live;
    this.#origin = options.origin;
    this.#backups = options.backups;
    this.#proxyBin = options.proxyBin;
    this.#sitesMapBase = options.sitesMapBase;
    this.#mapFiles = options.mapFiles;
    this.#surroundings = options.surroundings;
    this.#underWay = options.underWay;
    this.#log = options.log;
    this.#comparisonPatienceMs = options.comparisonPatienceMs ?? comparisonPatienceMs;
    this.#rollback = new Rollback({ ...options, comparisonPatienceMs: this.#comparisonPatienceMs });
  }

  /**
   * One reload, start to end; the caller holds the lock.
   * @throws ServiceError 409 (it would replace what proxy-manager did not render, and nobody consented; or an edit made meanwhile), 422 (refused by template or proxy; members `output`, `restored`, `worker_before`,
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
    const { restore } = request;
    const isAsItIs = restore !== undefined && restore.backup === undefined;
    if (isAsItIs && live !== null && live !== restore.configText) refuseEditedMeanwhile(this.#live.path);
    const isOthers = live !== null && (await this.#origin.of(live)).live === 'other';
    const rendered = await this.#wanted(request);
    await this.#askForConsent(request, live, rendered);
    const backup = await this.#backUp(request, live, isOthers);
    const attempt: ReloadAttempt = { request, began, live, isOthers, backup, warnings: [] };
    crashPoint('reload.backed-up');
    const wanted = await this.#candidate(attempt, rendered);
    crashPoint('reload.validated');
    attempt.warnings.push(...wanted.warnings);
    if (wanted.text !== live) {
      await noteBegun(this.#underWay, attempt.request);
      try {
        // A last known good in the place of a missing file leaves open who wrote it.
        if (!isAsItIs) await this.#origin.beforeSwitch(wanted.text, live, restore?.backup ?? null);
        await wanted.candidate.deploy(live);
      } catch (error) {
        // The last step of it is the sync of the folder, and by then the new one is in place.
        if (wanted.candidate.inPlace) return await this.#rollback.undo(attempt, error, wanted.text);
        // One that a crash interrupted is still to be made good.
        if (this.#underWay.interrupted === null) await noteEnded(this.#underWay, this.#log);
        throw error;
      }
    } else {
      await wanted.candidate.discard();
      if ((await this.#live.read()) !== live) refuseEditedMeanwhile(this.#live.path);
    }
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
      return await this.#rollback.undo(attempt, error, wanted.text);
    }
    return await this.#rollback.rollBack(attempt, failure, wanted.text);
  }

  /** What is to be in force, or why template or settings give nothing. */
  async #wanted(request: ReloadRequest): Promise<Wanted | ServiceError> {
    if (request.restore !== undefined)
      return { text: request.restore.configText, files: request.restore.files, warnings: [] };
    try {
      return await this.#surroundings.render(request.sites?.list ?? (await this.#surroundings.sites()));
    } catch (error) {
      if (error instanceof ServiceError && error.status === 422) return error;
      throw error;
    }
  }

  /** @throws ServiceError 409, before anything was touched */
  async #askForConsent(request: ReloadRequest, live: string | null, wanted: Wanted | ServiceError): Promise<void> {
    if (live === null || request.restore !== undefined || request.replace === true) return;
    const finding = await this.#origin.of(live);
    if (finding.live === 'rendered' || (!(wanted instanceof ServiceError) && wanted.text === live)) return;
    // What the stored sites give is lost to nobody, whoever wrote it.
    if (request.sites !== undefined && (await this.#isWhatIsStored(live))) return;
    refuseToReplace(this.#live.path, finding);
  }

  async #isWhatIsStored(live: string): Promise<boolean> {
    const stored = await this.#wanted({ id: '', reasons: [] });
    return !(stored instanceof ServiceError) && stored.text === live;
  }

  async #backUp(request: ReloadRequest, live: string | null, isOthers: boolean): Promise<string | null> {
    if (live === null) return null;
    const known = await lastKnownGood(this.#backups, this.#log);
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
      writtenBy: isOthers ? 'other' : 'proxy-manager',
      // Also those that no record names: it could not be restored without them.
      extraFiles: await filesNamedIn(this.#sitesMapBase, live),
      mapFiles: this.#mapFiles,
    });
    const kept = await this.#dropDouble(id);
    this.#log.info('Backup created', { backup: kept, reload: request.id });
    return kept;
  }

  /** At once: one that fails again and again must not fill the disk. */
  async #dropDouble(id: string): Promise<string> {
    try {
      return await this.#backups.dropDouble(id);
    } catch (error) {
      this.#log.warn('A backup that is the same as the one before could not be removed', { cause: causeText(error) });
      return id;
    }
  }

  /** Rendered and validated, or the known good is back in force and the refusal is thrown. */
  async #candidate(attempt: ReloadAttempt, rendered: Wanted | ServiceError) {
    const { request } = attempt;
    if (rendered instanceof ServiceError) {
      const output = typeof rendered.members['output'] === 'string' ? rendered.members['output'] : rendered.message;
      return await this.#rollback.refuse(attempt, rendered.code, rendered.message, output, rendered);
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
      const output = check.output.replaceAll(candidate.path, this.#live.path);
      if (check.valid) {
        this.#log.info('Configuration validation passed', { reload: request.id });
        return { ...rendered, warnings: [...rendered.warnings, ...proxyWarnings(output)], candidate };
      }
      await candidate.discard();
      return await this.#rollback.refuse(
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

  async #complete(
    attempt: ReloadAttempt,
    wanted: { text: string; files: readonly NamedFile[] },
    outcome: ReloadOutcome & { confirmed: true },
  ): Promise<CompletedReload> {
    const { request, warnings } = attempt;
    warnings.push(...(await comparisonWarnings(this.#surroundings, this.#comparisonPatienceMs)));
    crashPoint('reload.verified');
    await request.sites?.store(wanted.text);
    crashPoint('reload.sites-stored');
    await this.#keep(wanted, attempt);
    await noteEnded(this.#underWay, this.#log);
    this.#log.info('Safe reload completed', {
      reload: request.id,
      reasons: request.reasons,
      changed: wanted.text !== attempt.live,
      backup: attempt.backup,
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

  /** The reload is done and proved; a full disk now must not make it look failed. */
  async #keep(wanted: { text: string; files: readonly NamedFile[] }, attempt: ReloadAttempt): Promise<void> {
    const { request, warnings } = attempt;
    try {
      // A reload of the live configuration as it is leaves open who wrote it.
      const from = request.restore === undefined ? null : request.restore.backup;
      if (from !== undefined) await this.#origin.confirmed(wanted.text, from);
      const before = await lastKnownGood(this.#backups, this.#log);
      await this.#backups.markKnownGood(wanted.text, wanted.files);
      crashPoint('reload.known-good-recorded');
      const keep = [...wanted.files, ...(before?.files ?? [])].map((file) => file.path);
      await collectGarbage(this.#sitesMapBase, keep);
      await this.#backups.prune();
    } catch (error) {
      const text = `the known good configuration could not be recorded: ${causeText(error)}`;
      warnings.push(text);
      this.#log.warn(text, { backup: attempt.backup });
    }
  }
}
