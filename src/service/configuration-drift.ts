// Whether the live configuration is what sites, settings and template give now. Rendering is dear with thousands of
// sites, so it is done anew only where something it is made of has changed since.
import type { LiveFile } from '../configuration/live-file.ts';
import type { LiveOrigin } from '../configuration/live-origin.ts';
import type { RenderedConfiguration } from '../configuration/render.ts';
import { changedLines, unifiedDiff } from '../configuration/unified-diff.ts';
import { ServiceError } from '../errors/service-error.ts';
import { fileIdentity } from '../files/file-identity.ts';
import type { DriftReport } from '../http/services.ts';
import type { Seen } from './look.ts';

/** What a render reads beside the settings, which change with a restart only, and the sites. */
const machineFiles = ['/etc/resolv.conf', '/etc/hosts'];

export class ConfigurationDrift {
  readonly #live: LiveFile;
  readonly #origin: LiveOrigin;
  readonly #render: () => Promise<RenderedConfiguration>;
  readonly #files: readonly string[];
  readonly #reloads: { readonly underWay: boolean; readonly last: { readonly id: string } | null };
  #known: { readonly madeOf: string; readonly report: DriftReport } | null = null;

  constructor(options: {
    readonly live: LiveFile;
    readonly origin: LiveOrigin;
    /** With the stored sites. */
    readonly render: () => Promise<RenderedConfiguration>;
    /** null: the built-in one. */
    readonly template: string | null;
    /** Sites change with a reload only. */
    readonly reloads: { readonly underWay: boolean; readonly last: { readonly id: string } | null };
  }) {
    this.#live = options.live;
    this.#origin = options.origin;
    this.#render = options.render;
    this.#reloads = options.reloads;
    const { live, origin, template } = options;
    this.#files = [live.path, origin.path, ...(template === null ? [] : [template]), ...machineFiles];
  }

  /** What cannot be rendered or read now is `unknown`, with its reason. */
  async look(): Promise<DriftReport> {
    // Live file and stored sites are of different minds until it has ended.
    if (this.#reloads.underWay) return this.#known?.report ?? unknown('a reload is under way');
    try {
      return await this.#lookNow();
    } catch (error) {
      // A file that cannot be looked at is told as that; everything else is a mistake of ours.
      if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
      return unknown((error as Error).message);
    }
  }

  async #lookNow(): Promise<DriftReport> {
    const madeOf = await this.#madeOf();
    if (this.#known?.madeOf === madeOf) return this.#known.report;
    const report = await this.#compare();
    if (!this.#reloads.underWay && (await this.#madeOf()) === madeOf) this.#known = { madeOf, report };
    return report;
  }

  async #compare(): Promise<DriftReport> {
    try {
      const live = await this.#live.read();
      if (live === null) return unknown('there is no configuration yet');
      const finding = await this.#origin.of(live);
      try {
        const { text } = await this.#render();
        if (text === live) return { status: 'none', ...finding, added: 0, removed: 0, reason: null };
        const lines = changedLines(unifiedDiff(live, text, this.#live.path));
        return { status: 'drift', ...finding, ...lines, reason: null };
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        return { ...unknown(error.message), ...finding };
      }
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      return unknown(error.message);
    }
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
