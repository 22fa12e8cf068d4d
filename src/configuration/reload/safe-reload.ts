// The safe reload, in order: lock (held by `ReloadCoordinator`) → render → back up → validate → deploy → reload → prove
// by a new worker → compare its maps → record. On any failure: restore, reload, prove, report both causes
// (rollback.ts).
import type { ReloadAnswer } from '../../api/configuration.ts';
import { codes } from '../../errors/catalogue.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { crashPoint } from '../../faults/crash-point.ts';
import type { ReloadOutcome } from '../../haproxy/process/reloader.ts';
import { causeText } from '../../telemetry/log.ts';
import { lastKnownGood } from '../backups/last-known-good.ts';
import { collectGarbage, ensureFiles, filesNamedIn, type NamedFile } from '../template/sites-map.ts';
import { toConfigurationError } from './configuration-error.ts';
import { checkGuarded, type SubstituteCertificates } from './guarded-check.ts';
import type { Candidate } from './live-file.ts';
import type { LiveOrigin } from './live-origin.ts';
import { firstAlert, proxyWarnings } from './proxy-warnings.ts';
import { completedReload, type ReloadRequest } from './reload-request.ts';
import { refuseEditedMeanwhile, refuseToReplace } from './replace-consent.ts';
import { type ReloadAttempt, Rollback, type RollbackDeps } from './rollback.ts';
import { comparisonWarnings } from './worker-comparison.ts';

interface Rendered {
  readonly text: string;
  readonly files: readonly NamedFile[];
  readonly warnings: readonly string[];
}

/** Validated, and on disk beside the live file. */
interface Next extends Rendered {
  readonly candidate: Candidate;
}

interface SafeReloadDeps extends RollbackDeps {
  readonly origin: LiveOrigin;
  readonly proxyBin: string;
  /** Copied into each backup, never restored. */
  readonly mapFiles: readonly string[];
  /** Absent: HAProxy serves no certificates of this service. */
  readonly substitute?: SubstituteCertificates | undefined;
}

export class SafeReload {
  readonly #deps: SafeReloadDeps;
  readonly #rollback: Rollback;

  constructor(deps: SafeReloadDeps) {
    this.#deps = deps;
    this.#rollback = new Rollback(deps);
  }

  /**
   * @throws ServiceError 409 (no consent to replace a file that proxy-manager did not render, or it was edited
   * meanwhile), 422 (refused by template or proxy; members `output`, `restored`, `worker_before`, `worker_after`), 503
   * (not confirmed and rolled back, or files or database unusable)
   */
  async run(request: ReloadRequest): Promise<ReloadAnswer> {
    try {
      return await this.#run(request);
    } catch (error) {
      throw toConfigurationError(error, 'safe reload');
    }
  }

  async #run(request: ReloadRequest): Promise<ReloadAnswer> {
    const { ports } = this.#deps;
    const began = performance.now();
    const live = await this.#readLive(request);
    const rendered = await this.#render(request);
    await this.#requireConsent(request, live, rendered);
    const attempt = await this.#backUp(request, live, began);
    crashPoint('reload.backed-up');
    const next = await this.#validate(attempt, rendered);
    await this.#deploy(attempt, next);
    let outcome: ReloadOutcome;
    try {
      await ports.writeMaps();
      crashPoint('reload.maps-written');
      outcome = await ports.reloadProxy();
      crashPoint('reload.confirmed');
      if (outcome.confirmed) {
        attempt.warnings.push(...(await comparisonWarnings(ports, this.#deps.comparisonTimeoutMs)));
        crashPoint('reload.verified');
        return await this.#record(attempt, next, outcome);
      }
    } catch (error) {
      return await this.#rollback.afterError(attempt, error, next.text);
    }
    return await this.#rollback.unconfirmed(attempt, outcome, next.text);
  }

  async #readLive({ restore }: ReloadRequest): Promise<string | null> {
    const { live } = this.#deps;
    const text = await live.read();
    const isEdited = isLiveItself(restore) && text !== null && text !== restore?.configText;
    return isEdited ? refuseEditedMeanwhile(live.path) : text;
  }

  /** A refusal by template or settings is returned: the reload with the last known good follows it. */
  async #render({ restore, sites, upstreams }: ReloadRequest): Promise<Rendered | ServiceError> {
    const { ports } = this.#deps;
    if (restore !== undefined) return { text: restore.configText, files: restore.files, warnings: [] };
    try {
      return await ports.render(sites?.list ?? (await ports.sites()), upstreams?.rules);
    } catch (error) {
      if (error instanceof ServiceError && error.status === 422) return error;
      throw error;
    }
  }

  /** @throws ServiceError 409, before anything has changed */
  async #requireConsent(request: ReloadRequest, live: string | null, next: Rendered | ServiceError): Promise<void> {
    if (live === null || request.restore !== undefined || request.replace === true) return;
    const finding = await this.#deps.origin.of(live);
    if (finding.live === 'rendered' || isText(next, live)) return;
    // The same text can be rendered again from what is stored, so replacing it loses nothing.
    const isChange = request.sites !== undefined || request.upstreams !== undefined;
    if (isChange && isText(await this.#render({ id: '', reasons: [] }), live)) return;
    refuseToReplace(this.#deps.live.path, finding);
  }

  async #backUp(request: ReloadRequest, live: string | null, began: number): Promise<ReloadAttempt> {
    const { origin, backups, fileBases, mapFiles, marker, log } = this.#deps;
    const attempt = { request, began, live, isForeign: false, backup: null, warnings: [] };
    if (live === null) return attempt;
    const isForeign = (await origin.of(live)).live === 'other';
    const known = await lastKnownGood(backups, log);
    if (known !== null && known.configText !== live) {
      const why = marker.interrupted === null ? 'was edited by hand' : 'was left by a half-applied reload';
      log.warn(`The live configuration ${why}; the backup keeps it`, { path: this.#deps.live.path });
    }
    const { id } = await backups.create({
      reason: request.reasons.join('; ').slice(0, 500),
      configText: live,
      writtenBy: isForeign ? 'other' : 'proxy-manager',
      // Includes unrecorded files: the configuration cannot be restored without them.
      extraFiles: await filesNamedIn(fileBases, live),
      mapFiles,
    });
    const backup = await this.#dropDuplicate(id);
    log.info('Backup created', { backup, reload: request.id });
    return { ...attempt, isForeign, backup };
  }

  /** At once: a reload that keeps failing must not fill the disk. */
  async #dropDuplicate(id: string): Promise<string> {
    try {
      return await this.#deps.backups.dropDuplicate(id);
    } catch (error) {
      this.#deps.log.warn('A duplicate backup could not be removed', { cause: causeText(error) });
      return id;
    }
  }

  /** @throws ServiceError 422 when template or proxy refuse; the last known good has been reloaded by then */
  async #validate(attempt: ReloadAttempt, rendered: Rendered | ServiceError): Promise<Next> {
    const { live, ports, proxyBin, substitute, log } = this.#deps;
    if (rendered instanceof ServiceError) {
      const output = typeof rendered.members['output'] === 'string' ? rendered.members['output'] : rendered.message;
      return await this.#rollback.refused(attempt, rendered.code, rendered.message, output, rendered);
    }
    await ensureFiles(rendered.files);
    crashPoint('reload.sites-map-written');
    const candidate = await live.stage(rendered.text);
    crashPoint('reload.candidate-written');
    try {
      // `-c` reads the map files too: a damaged one must not make a valid configuration fail.
      await ports.writeMaps();
      crashPoint('reload.before-validation');
      const check = await checkGuarded(proxyBin, candidate.path, substitute);
      const output = check.output.replaceAll(candidate.path, live.path);
      if (!check.valid) {
        await candidate.discard();
        const detail = `HAProxy refuses the new configuration: ${firstAlert(output)}`;
        return await this.#rollback.refused(attempt, codes.ProxyRefusesConfiguration, detail, output);
      }
      log.info('Configuration validation passed', { reload: attempt.request.id });
      attempt.warnings.push(...rendered.warnings, ...proxyWarnings(output));
      crashPoint('reload.validated');
      return { ...rendered, candidate };
    } catch (error) {
      await candidate.discard();
      throw error;
    }
  }

  async #deploy(attempt: ReloadAttempt, { text, candidate }: Next): Promise<void> {
    const { origin, marker } = this.#deps;
    const { live, request } = attempt;
    if (text === live) {
      await candidate.discard();
      if ((await this.#deps.live.read()) !== live) refuseEditedMeanwhile(this.#deps.live.path);
    } else {
      await marker.set(request);
      try {
        // A last known good that replaces a missing file does not change the recorded origin.
        if (!isLiveItself(request.restore)) await origin.beforeSwitch(text, live, request.restore?.backup ?? null);
        await candidate.deploy(live);
      } catch (error) {
        // The sync of the folder failed, after the rename.
        if (candidate.inPlace) return await this.#rollback.afterError(attempt, error, text);
        // A reload that a crash interrupted still has to be completed.
        if (marker.interrupted === null) await marker.clear();
        throw error;
      }
    }
    crashPoint('reload.switched');
  }

  async #record(
    attempt: ReloadAttempt,
    { text, files }: Rendered,
    outcome: ReloadOutcome & { confirmed: true },
  ): Promise<ReloadAnswer> {
    const { marker, log } = this.#deps;
    const { request, began, backup, warnings } = attempt;
    await request.sites?.store({ text, files });
    await request.upstreams?.store();
    crashPoint('reload.sites-stored');
    await this.#recordKnownGood(text, files, attempt);
    await marker.clear();
    const { id, reasons } = request;
    const { workerBefore, workerAfter, by } = outcome;
    const changed = text !== attempt.live;
    const workers = { worker_before: workerBefore, worker_after: workerAfter, by };
    log.info('Safe reload completed', { reload: id, reasons, changed, backup, ...workers });
    return completedReload(request, outcome, { changed, backup, warnings, began });
  }

  /** A failure, such as a full disk, is a warning: the reload is already proved. */
  async #recordKnownGood(
    text: string,
    files: readonly NamedFile[],
    { request, backup, warnings }: ReloadAttempt,
  ): Promise<void> {
    const { origin, backups, fileBases, log } = this.#deps;
    try {
      if (!isLiveItself(request.restore)) await origin.confirmed(text, request.restore?.backup ?? null);
      const before = await lastKnownGood(backups, log);
      await backups.markKnownGood(text, files);
      crashPoint('reload.known-good-recorded');
      await collectGarbage(
        fileBases,
        [...files, ...(before?.files ?? [])].map(({ path }) => path),
      );
      await backups.prune();
    } catch (error) {
      const warning = `the known good configuration could not be recorded: ${causeText(error)}`;
      warnings.push(warning);
      log.warn(warning, { backup });
    }
  }
}

/** A scheduled reload, of the live configuration or the last known good: the recorded origin stays. */
function isLiveItself(restore: ReloadRequest['restore']): boolean {
  return restore !== undefined && restore.backup === undefined;
}

function isText(rendered: Rendered | ServiceError, text: string): boolean {
  return !(rendered instanceof ServiceError) && rendered.text === text;
}
