// Whether the live configuration matches sites, settings and template. Rendering thousands of sites is expensive, so a
// report is reused until one of its inputs changes.

import type { DriftReport } from '../api/health.ts';
import type { LiveFile } from '../configuration/reload/live-file.ts';
import type { LiveOrigin, LiveOriginFinding } from '../configuration/reload/live-origin.ts';
import type { RenderedConfiguration } from '../configuration/template/render.ts';
import { changedLines, unifiedDiff } from '../configuration/unified-diff.ts';
import { ServiceError } from '../errors/service-error.ts';
import { fileIdentity } from '../files/file-identity.ts';
import { causeText, type Log } from '../telemetry/log.ts';
import type { ProbeResult } from './timed-probe.ts';

/** What a render reads besides sites and settings. */
const machineFiles = ['/etc/resolv.conf', '/etc/hosts', '/dev/log'];
/** A refusal may be due to a busy machine, but rendering a faulty template at each request is expensive. */
const refusalFreshMs = 60_000;

interface ConfigurationDriftDeps {
  readonly live: LiveFile;
  readonly origin: LiveOrigin;
  readonly render: () => Promise<RenderedConfiguration>;
  /** Null: the built-in one. */
  readonly template: string | null;
  /** Sites change only with a reload. */
  readonly reloads: { readonly underWay: boolean; readonly last: { readonly id: string } | null };
  readonly log: Log;
}

export class ConfigurationDrift {
  readonly #deps: ConfigurationDriftDeps;
  readonly #files: readonly string[];
  #known: { readonly fingerprint: string; readonly report: DriftReport; readonly until: number } | null = null;
  #lastDefect: string | null = null;

  constructor(deps: ConfigurationDriftDeps) {
    this.#deps = deps;
    const { live, origin, template } = deps;
    this.#files = [live.path, origin.path, ...(template === null ? [] : [template]), ...machineFiles];
  }

  /** Never throws: what cannot be rendered, read or compared is `unknown`, with its reason. */
  async report(): Promise<DriftReport> {
    // Live file and stored sites may disagree until it has ended.
    if (this.#deps.reloads.underWay) return this.#known?.report ?? unknown('a reload is under way');
    try {
      return await this.#reportNow();
    } catch (error) {
      this.#logDefect(error);
      return unknown(causeText(error));
    }
  }

  /** Once per cause, as health is requested often. A failed system call, such as a missing file, is not a defect. */
  #logDefect(error: unknown): void {
    if (error instanceof ServiceError || (error as NodeJS.ErrnoException).syscall !== undefined) return;
    const cause = causeText(error);
    if (cause === this.#lastDefect) return;
    this.#lastDefect = cause;
    this.#deps.log.error('Configuration drift could not be checked', { cause });
  }

  async #reportNow(): Promise<DriftReport> {
    const fingerprint = await this.#fingerprint();
    if (this.#known?.fingerprint === fingerprint && performance.now() < this.#known.until) return this.#known.report;
    const { report, freshMs } = await this.#compare();
    if (freshMs > 0 && !this.#deps.reloads.underWay && (await this.#fingerprint()) === fingerprint)
      this.#known = { fingerprint, report, until: performance.now() + freshMs };
    return report;
  }

  /** A temporary failure, such as a locked database, is not cached. */
  async #compare(): Promise<{ readonly report: DriftReport; readonly freshMs: number }> {
    const live = await this.#deps.live.read();
    if (live === null) return { report: unknown('there is no configuration yet'), freshMs: 0 };
    const finding = await this.#deps.origin.of(live);
    try {
      const report = this.#compared(live, finding, (await this.#deps.render()).text);
      this.#lastDefect = null;
      return { report, freshMs: Number.POSITIVE_INFINITY };
    } catch (error) {
      this.#logDefect(error);
      const isRefused = error instanceof ServiceError && error.status === 422;
      return { report: { ...unknown(causeText(error)), ...finding }, freshMs: isRefused ? refusalFreshMs : 0 };
    }
  }

  #compared(live: string, finding: LiveOriginFinding, text: string): DriftReport {
    if (text === live) return { status: 'none', ...finding, added: 0, removed: 0, reason: null };
    const lines = changedLines(unifiedDiff(live, text, this.#deps.live.path));
    return { status: 'drift', ...finding, ...lines, reason: null };
  }

  async #fingerprint(): Promise<string> {
    const identities = await Promise.all(this.#files.map(fileIdentity));
    return [...identities, this.#deps.reloads.last?.id ?? ''].join('\n');
  }
}

export function driftFrom(result: ProbeResult<DriftReport>): DriftReport {
  return result.checked ? result.value : unknown(result.why);
}

function unknown(reason: string): DriftReport {
  return { status: 'unknown', live: null, backup: null, added: null, removed: null, reason };
}
