import type { ReloadAnswer } from '../../api/configuration.ts';
import type { Site } from '../../domain/site.ts';
import type { ReloadOutcome } from '../../haproxy/process/reloader.ts';
import type { RenderedConfiguration } from '../template/render.ts';
import type { NamedFile } from '../template/sites-map.ts';

export interface ReloadPorts {
  /** @param hasUpstreams absent: as stored */
  render(sites: Iterable<Site> | AsyncIterable<Site>, hasUpstreams?: boolean): Promise<RenderedConfiguration>;
  sites(): Promise<Iterable<Site> | AsyncIterable<Site>>;
  /** @throws ServiceError when they cannot be written */
  writeMaps(): Promise<void>;
  /** Reloads HAProxy and waits for the proof; starts it if this service supervises it. */
  reloadProxy(): Promise<ReloadOutcome>;
  /**
   * Compares the maps of every worker with the database and repairs them. Returns a warning for each remaining problem.
   */
  verifyWorkers(): Promise<readonly string[]>;
}

/** A configuration text, and the files that it names. */
export type LoadedConfiguration = Pick<RenderedConfiguration, 'text' | 'files'>;

export interface ReloadRequest {
  readonly id: string;
  readonly reasons: readonly string[];
  /** Deploy this instead of the rendered configuration. */
  readonly restore?: {
    readonly configText: string;
    readonly files: readonly NamedFile[];
    /** Absent: the live configuration itself, or the last known good if that is missing. */
    readonly backup?: string;
  };
  /** Consent to replace a live configuration that proxy-manager did not render. */
  readonly replace?: boolean;
  /**
   * Other sites than the stored ones. `store` saves them once the reload is confirmed; `live`: the configuration that it
   * loaded.
   */
  readonly sites?: { readonly list: readonly Site[]; readonly store: (live: LoadedConfiguration) => Promise<void> };
  /** Adds the rules of upstreams, or removes them. `store` saves the upstream once the reload is confirmed. */
  readonly upstreams?: { readonly rules: boolean; readonly store: () => Promise<void> };
}

export function completedReload(
  { id, reasons }: ReloadRequest,
  { workerBefore, workerAfter }: ReloadOutcome,
  more: Pick<ReloadAnswer, 'changed' | 'backup' | 'warnings'> & { readonly began: number },
): ReloadAnswer {
  const { changed, backup, warnings, began } = more;
  return {
    id,
    status: 'completed',
    reasons,
    changed,
    backup,
    worker_before: workerBefore,
    worker_after: workerAfter,
    duration_ms: Math.round(performance.now() - began),
    warnings,
  };
}
