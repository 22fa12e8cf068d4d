// A reload of a configuration that others write: write the maps, check the files that this user may read, reload,
// verify the new worker. Nothing is deployed, so nothing has to be restored. If a worker does not start, the current
// one keeps serving; up to HAProxy 3.0 the failure may end HAProxy, and its unit starts it again.
import type { ReloadAnswer } from '../../api/configuration.ts';
import { codes } from '../../errors/catalogue.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { ReloadOutcome } from '../../haproxy/process/reloader.ts';
import type { Log } from '../../telemetry/log.ts';
import { toConfigurationError } from '../reload/configuration-error.ts';
import { guardedCheck, type SubstituteCertificates } from '../reload/guarded-check.ts';
import { firstAlert, proxyWarnings } from '../reload/proxy-warnings.ts';
import type { Reload } from '../reload/reload-coordinator.ts';
import { completedReload, type ReloadPorts, type ReloadRequest } from '../reload/reload-request.ts';
import { comparisonWarnings } from '../reload/worker-comparison.ts';

/** `unknown`: this user may not read everything; HAProxy's own check at the reload decides. */
export type AttachedCheck =
  | { readonly verdict: 'valid' | 'invalid'; readonly output: string }
  | {
      readonly verdict: 'unknown';
      /** As a sentence. */
      readonly unreadable: string;
      /** Alerts of HAProxy's check about other lines. Unreadable files may have caused some of them. */
      readonly alerts: readonly string[];
    };

interface AttachedReloadDeps {
  readonly ports: Pick<ReloadPorts, 'writeMaps' | 'reloadProxy' | 'verifyWorkers'>;
  readonly check: () => Promise<AttachedCheck>;
  /** Absent: the service writes no certificates. */
  readonly substitute?: SubstituteCertificates | undefined;
  readonly mayReload: boolean;
  readonly log: Log;
}

export class AttachedReload implements Reload {
  readonly #deps: AttachedReloadDeps;

  constructor(deps: AttachedReloadDeps) {
    this.#deps = deps;
  }

  /**
   * @throws ServiceError 409 (a setting forbids reloads, or the request replaces the configuration), 422 (HAProxy
   * refuses the files; member `output`), 503 (not confirmed, or a map file cannot be written)
   */
  async run(request: ReloadRequest): Promise<ReloadAnswer> {
    try {
      return await this.#run(request);
    } catch (error) {
      throw toConfigurationError(error, 'reload');
    }
  }

  async #run(request: ReloadRequest): Promise<ReloadAnswer> {
    const { ports, check, substitute, log } = this.#deps;
    const began = performance.now();
    this.#requireAllowed(request);
    // HAProxy reads the maps at the reload, and refuses to start with a damaged one.
    await ports.writeMaps();
    const checked = await guardedCheck(check, refusalIn, substitute);
    if (checked.verdict === 'invalid')
      throw refusal(request, 'HAProxy refuses its configuration, so it was not reloaded', checked.output);
    const outcome = await ports.reloadProxy();
    if (!outcome.confirmed) throw failure(request, outcome, checked.verdict === 'unknown' ? checked.alerts : []);
    const warnings = [
      ...(checked.verdict === 'unknown'
        ? [`only HAProxy itself checked the configuration: ${checked.unreadable}`]
        : proxyWarnings(checked.output)),
      ...(await comparisonWarnings(ports)),
    ];
    const { id, reasons } = request;
    const { workerBefore, workerAfter, by } = outcome;
    log.info('Reload completed', { reload: id, reasons, worker_before: workerBefore, worker_after: workerAfter, by });
    return completedReload(request, outcome, { changed: false, backup: null, warnings, began });
  }

  #requireAllowed({ replace }: ReloadRequest): void {
    const detail =
      replace === true
        ? 'there is no configuration to replace: proxy-manager does not write the one that HAProxy runs'
        : 'PROXY_MANAGER_RELOAD_BY=never forbids reloads; reload HAProxy yourself, and the service then compares the new worker';
    if (replace === true || !this.#deps.mayReload) throw new ServiceError(codes.Attached, 'reload', detail);
  }
}

/** Undefined: HAProxy accepts the files. Null: what it would say of them is not known. */
function refusalIn(checked: AttachedCheck): string | null | undefined {
  if (checked.verdict === 'valid') return undefined;
  return checked.verdict === 'invalid' ? checked.output : null;
}

function refusal({ id, reasons }: ReloadRequest, what: string, output: string, workers = {}): ServiceError {
  return new ServiceError(codes.ProxyRefusesConfiguration, 'reload', withOutput(what, output), {
    members: { id, reasons, output, ...workers },
  });
}

function failure(
  request: ReloadRequest,
  outcome: ReloadOutcome & { readonly confirmed: false },
  alerts: readonly string[],
): ServiceError {
  const { reason, detail, output, workerBefore, workerAfter } = outcome;
  const workers = { worker_before: workerBefore, worker_after: workerAfter };
  if (reason === 'refused') {
    // Up to 2.6 the master does not answer, and systemctl does not repeat HAProxy's output.
    return output === '' && alerts.length > 0
      ? refusal(request, `${detail}: as the user of this service, HAProxy's check reports`, alerts.join('\n'), workers)
      : refusal(request, detail, output, workers);
  }
  const code = reason === 'not-running' ? codes.ProxyNotRunning : codes.ReloadUnconfirmed;
  const { id, reasons } = request;
  // With its worker unchanged, HAProxy did not receive the request (as when polkit denies it), and has logged nothing.
  const cause = workerAfter === null ? withOutput(detail, output) : detail;
  return new ServiceError(code, 'reload', `the reload was not confirmed: ${cause}`, {
    retryAfterSeconds: 10,
    members: { id, reasons, output, ...workers },
  });
}

/** Without output (by a signal, or up to HAProxy 2.6) the journal of the unit has the messages. */
function withOutput(what: string, output: string): string {
  return output.trim() === ''
    ? `${what}; see HAProxy's own log (journalctl -u haproxy)`
    : `${what}: ${firstAlert(output)}`;
}
