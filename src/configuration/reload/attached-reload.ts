// A reload of a configuration that others write: the maps are written, the files are checked as far as this user may
// read them, HAProxy is asked, and a new worker proves it. Nothing is deployed, so nothing has to be put back. A
// worker that does not start leaves the former one serving; up to 3.0 it may end HAProxy, which its unit starts again.
import { codes } from '../../errors/catalogue.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { ReloadOutcome } from '../../haproxy/process/reloader.ts';
import type { Log } from '../../telemetry/log.ts';
import { comparisonPatienceMs } from './comparison-patience.ts';
import { comparisonWarnings } from './comparison-warnings.ts';
import { firstAlert, proxyWarnings } from './proxy-warnings.ts';
import type { Reload } from './reload-coordinator.ts';
import type { CompletedReload, ReloadRequest, ReloadSurroundings } from './reload-request.ts';
import { asConfigurationTrouble } from './trouble.ts';

/** `unknown`: this user may not read all that the check reads; HAProxy's own check at the reload decides. */
export interface AttachedCheck {
  readonly verdict: 'valid' | 'invalid' | 'unknown';
  /** What HAProxy said; of `unknown`, what this user may not read. */
  readonly output: string;
}

export interface AttachedReloadOptions {
  readonly surroundings: Pick<ReloadSurroundings, 'writeMaps' | 'reloadProxy' | 'verifyWorkers'>;
  readonly check: () => Promise<AttachedCheck>;
  /** False: a setting forbids reloads. */
  readonly mayReload: boolean;
  readonly log: Log;
}

export class AttachedReload implements Reload {
  readonly #options: AttachedReloadOptions;

  constructor(options: AttachedReloadOptions) {
    this.#options = options;
  }

  /**
   * @throws ServiceError 409 (a setting forbids it, or it asks for a configuration of ours), 422 (HAProxy refuses the
   *   files; member `output`), 503 (not confirmed, or a map file cannot be written)
   */
  async run(request: ReloadRequest): Promise<CompletedReload> {
    try {
      return await this.#run(request);
    } catch (error) {
      throw asConfigurationTrouble(error, 'reload');
    }
  }

  async #run(request: ReloadRequest): Promise<CompletedReload> {
    const { surroundings, check, mayReload, log } = this.#options;
    const began = performance.now();
    if (request.replace === true) {
      const detail = 'there is no configuration to replace: HAProxy runs one that is not written here';
      throw new ServiceError(codes.Attached, 'reload', detail);
    }
    if (!mayReload) {
      const detail =
        'PROXY_MANAGER_RELOAD_BY=never forbids it; reload HAProxy yourself: the new worker is compared then';
      throw new ServiceError(codes.Attached, 'reload', detail);
    }
    // HAProxy reads them at the reload, and refuses to start with one that is torn.
    await surroundings.writeMaps();
    const { verdict, output } = await check();
    if (verdict === 'invalid')
      throw refusal(request, 'HAProxy refuses its configuration, so it was not reloaded', output);
    const outcome = await surroundings.reloadProxy();
    if (!outcome.confirmed) throw failure(request, outcome);
    const warnings = [
      ...(verdict === 'unknown' ? [`HAProxy alone checked the configuration: ${output}`] : proxyWarnings(output)),
      ...(await comparisonWarnings(surroundings, comparisonPatienceMs)),
    ];
    const { id, reasons } = request;
    const { workerBefore, workerAfter, by } = outcome;
    log.info('Reload completed', { reload: id, reasons, worker_before: workerBefore, worker_after: workerAfter, by });
    return {
      id,
      status: 'completed',
      reasons,
      changed: false,
      backup: null,
      worker_before: workerBefore,
      worker_after: workerAfter,
      duration_ms: Math.round(performance.now() - began),
      warnings,
    };
  }
}

function refusal({ id, reasons }: ReloadRequest, what: string, output: string, workers = {}): ServiceError {
  return new ServiceError(codes.ProxyRefusesConfiguration, 'reload', `${what}: ${firstAlert(output)}`, {
    members: { id, reasons, output, ...workers },
  });
}

function failure(request: ReloadRequest, outcome: ReloadOutcome & { readonly confirmed: false }): ServiceError {
  const { reason, detail, output, workerBefore, workerAfter } = outcome;
  const workers = { worker_before: workerBefore, worker_after: workerAfter };
  if (reason === 'refused') return refusal(request, detail, output, workers);
  const code = reason === 'not-running' ? codes.ProxyNotRunning : codes.ReloadUnconfirmed;
  const { id, reasons } = request;
  return new ServiceError(code, 'reload', `the reload was not confirmed: ${detail}`, {
    retryAfterSeconds: 10,
    members: { id, reasons, output, ...workers },
  });
}
