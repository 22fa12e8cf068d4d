// What a safe reload is asked for, what it needs of the rest of the service, and what it says when it is done.
import type { Site } from '../../domain/site.ts';
import type { ReloadOutcome } from '../../haproxy/process/reloader.ts';
import type { RenderedConfiguration } from '../template/render.ts';
import type { NamedFile } from '../template/sites-map.ts';

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
  readonly restore?: {
    readonly configText: string;
    readonly files: readonly NamedFile[];
    /** Its id; absent: it is the live configuration itself, or the last known good where that is missing. */
    readonly backup?: string;
  };
  /** A live configuration that proxy-manager did not render may be replaced by the rendered one. */
  readonly replace?: boolean;
  /** Other sites than the stored ones; `store` keeps them once the reload with the text `inForce` was confirmed. */
  readonly sites?: { readonly list: readonly Site[]; readonly store: (inForce: string) => Promise<void> };
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

/** One reload, from its backup to its end. */
export interface ReloadAttempt {
  readonly request: ReloadRequest;
  readonly began: number;
  readonly live: string | null;
  /** The live configuration is somebody else's: a failure brings that back, and nothing older. */
  readonly isOthers: boolean;
  /** The id of the set that holds what was live. */
  readonly backup: string | null;
  readonly warnings: string[];
}
