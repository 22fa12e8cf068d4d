// Whether the live configuration is what sites, settings and template give now. Rendering is dear with thousands of
// sites, so it is done anew only where something it is made of has changed since.

import type { DriftReport } from '../api/health.ts';
import type { LiveFile } from '../configuration/reload/live-file.ts';
import type { LiveOrigin, LiveOriginFinding } from '../configuration/reload/live-origin.ts';
import type { RenderedConfiguration } from '../configuration/template/render.ts';
import { changedLines, unifiedDiff } from '../configuration/unified-diff.ts';
import { ServiceError } from '../errors/service-error.ts';
import { fileIdentity } from '../files/file-identity.ts';
import { causeText, type Log } from '../telemetry/log.ts';
import type { Seen } from './look.ts';

/** What a render reads beside the settings, which change with a restart only, and the sites. */
const machineFiles = ['/etc/resolv.conf', '/etc/hosts'];
/** A refusal may be for a machine that was too busy; one for what the template says takes its time again at each render. */
const refusalTellsForMs = 60_000;

export class ConfigurationDrift {
  readonly #live: LiveFile;
  readonly #origin: LiveOrigin;
  readonly #render: () => Promise<RenderedConfiguration>;
  readonly #files: readonly string[];
  readonly #reloads: { readonly underWay: boolean; readonly last: { readonly id: string } | null };
  readonly #log: Log;
  #known: { readonly madeOf: string; readonly report: DriftReport; readonly until: number } | null = null;
  #lastDefect: string | null = null;

  constructor(options: {
    readonly live: LiveFile;
    readonly origin: LiveOrigin;
    /** With the stored sites. */
    readonly render: () => Promise<RenderedConfiguration>;
    /** null: the built-in one. */
    readonly template: string | null;
    /** Sites change with a reload only. */
    readonly reloads: { readonly underWay: boolean; readonly last: { readonly id: string } | null };
    readonly log: Log;
  }) {
    this.#live = options.live;
    this.#origin = options.origin;
    this.#render = options.render;
    this.#reloads = options.reloads;
    this.#log = options.log;
    const { live, origin, template } = options;
    this.#files = [live.path, origin.path, ...(template === null ? [] : [template]), ...machineFiles];
  }

  /** Whatever cannot be rendered, read or compared now is `unknown`, with its reason: it never fails a health answer. */
  async look(): Promise<DriftReport> {
    // Live file and stored sites are of different minds until it has ended.
    if (this.#reloads.underWay) return this.#known?.report ?? unknown('a reload is under way');
    try {
      return await this.#lookNow();
    } catch (error) {
      this.#tellDefect(error);
      return unknown(causeText(error));
    }
  }

  /** Once, as health is asked for again and again. What the machine refuses, such as a file, is no defect. */
  #tellDefect(error: unknown): void {
    if (error instanceof ServiceError || (error as NodeJS.ErrnoException).syscall !== undefined) return;
    const cause = causeText(error);
    if (cause === this.#lastDefect) return;
    this.#lastDefect = cause;
    this.#log.error('The drift of the configuration could not be looked at', { cause });
  }

  async #lookNow(): Promise<DriftReport> {
    const madeOf = await this.#madeOf();
    if (this.#known?.madeOf === madeOf && performance.now() < this.#known.until) return this.#known.report;
    const { report, tellsForMs } = await this.#compare();
    if (tellsForMs > 0 && !this.#reloads.underWay && (await this.#madeOf()) === madeOf)
      this.#known = { madeOf, report, until: performance.now() + tellsForMs };
    return report;
  }

  /** What keeps it from being rendered for a moment only, such as a locked database, is not kept. */
  async #compare(): Promise<{ readonly report: DriftReport; readonly tellsForMs: number }> {
    const live = await this.#live.read();
    if (live === null) return { report: unknown('there is no configuration yet'), tellsForMs: 0 };
    const finding = await this.#origin.of(live);
    try {
      const report = this.#compared(live, finding, (await this.#render()).text);
      this.#lastDefect = null;
      return { report, tellsForMs: Number.POSITIVE_INFINITY };
    } catch (error) {
      this.#tellDefect(error);
      const isRefused = error instanceof ServiceError && error.status === 422;
      return { report: { ...unknown(causeText(error)), ...finding }, tellsForMs: isRefused ? refusalTellsForMs : 0 };
    }
  }

  #compared(live: string, finding: LiveOriginFinding, text: string): DriftReport {
    if (text === live) return { status: 'none', ...finding, added: 0, removed: 0, reason: null };
    const lines = changedLines(unifiedDiff(live, text, this.#live.path));
    return { status: 'drift', ...finding, ...lines, reason: null };
  }

  async #madeOf(): Promise<string> {
    const identities = await Promise.all(this.#files.map(fileIdentity));
    return [...identities, this.#reloads.last?.id ?? ''].join('\n');
  }
}

/** As `/health` tells it. */
export function driftSeen(look: Seen<DriftReport>): DriftReport {
  return look.seen ? look.value : unknown(look.why);
}

function unknown(reason: string): DriftReport {
  return { status: 'unknown', live: null, backup: null, added: null, removed: null, reason };
}
