// The interface to whatever runs HAProxy and writes its configuration: the service itself (managed-proxy.ts), or the
// operator, and then the service only maintains the maps (attached-proxy.ts).

import type { AttachedReport, DriftReport } from '../api/health.ts';
import { type ChallengesInConfiguration, unknownChallenges } from '../blocking/challenge-set.ts';
import { type HttpsInConfiguration, unknownHttps } from '../blocking/https-set.ts';
import { type TrustInConfiguration, unknownTrust } from '../blocking/trusted-set.ts';
import { type UpstreamsInConfiguration, unknownUpstreams } from '../blocking/upstream-set.ts';
import type { ConfigurationService } from '../configuration/reload/configuration-service.ts';
import type { ReloadCoordinator } from '../configuration/reload/reload-coordinator.ts';
import type { Emit } from '../events/facts.ts';
import type { MasterSocket } from '../haproxy/socket/master-socket.ts';
import type { Settings } from '../settings.ts';
import type { SitesService } from '../sites/sites-service.ts';
import type { ReloadsStore } from '../store/reloads-store.ts';
import type { SitesStore } from '../store/sites-store.ts';
import type { ProxyVersions } from '../supervision/proxy-versions.ts';
import type { Log } from '../telemetry/log.ts';
import type { BlockingParts } from './blocking-parts.ts';
import type { CertificateFiles } from './tls-parts.ts';

export interface ProxySide {
  readonly sites: SitesService;
  /** Add the rules of upstreams to the configuration; null: others write it. */
  readonly upstreamReloads: Pick<ReloadCoordinator, 'change'> | null;
  readonly configuration: ConfigurationService;
  readonly reloads: ReloadCoordinator;
  /** How the configuration uses the maps, as of the last check. */
  readonly trust: TrustInConfiguration;
  readonly upstreams: UpstreamsInConfiguration;
  readonly https: HttpsInConfiguration;
  readonly challenges: ChallengesInConfiguration;
  /** For `/health`; null: others write the configuration. */
  readonly drift: { report(): Promise<DriftReport> } | null;
  /** A crash interrupted a reload, which must be repaired. */
  readonly interrupted: boolean;
  /** False: no reload could enforce what is missing, or none is allowed. */
  mayReload(): boolean;
  /** Checks the configuration again. Never throws. */
  check(): Promise<void>;
  /** For `/health`, each as a sentence. */
  problems(): Promise<readonly string[]>;
  /** For `/health`: what does not degrade it. */
  notices(): Promise<readonly string[]>;
  /** For `/health`; null: this service writes the configuration. As of the last check. */
  attached(): AttachedReport | null;
  /** Handles what an earlier run left, before anything is changed. */
  review(): Promise<void>;
  /** After the maps are written: ensures a configuration and, if that is the service's job, a running HAProxy. */
  start(): Promise<void>;
  /** Stops waiting for the start of HAProxy. */
  abandonStart(): void;
  stop(): Promise<void>;
  /** Ends HAProxy, if this side started it. */
  endProxy(): Promise<void>;
}

export interface ProxySideOptions {
  readonly settings: Settings;
  readonly sites: SitesStore;
  readonly history: ReloadsStore;
  readonly parts: Pick<
    BlockingParts,
    'keeper' | 'trusted' | 'upstreams' | 'https' | 'challenges' | 'reconciler' | 'registry' | 'link'
  >;
  readonly socket: MasterSocket;
  /** Null: the service serves no certificates. */
  readonly certificates: CertificateFiles | null;
  readonly versions: ProxyVersions;
  /** Reads what the worker counted, which may exit at the reload. Never throws. */
  readonly beforeReload: () => Promise<void>;
  readonly log: Log;
  readonly emit: Emit;
  readonly now: () => Date;
}

/** How long a reload waits for the reading before it. */
export const readBeforeReloadMs = 1_000;

/** The blocked set's link to the proxy side, which is created later and connected then. */
export class ProxyLink {
  #side: ProxySide | null = null;

  connect(side: ProxySide): void {
    this.#side = side;
  }

  get forBlocking() {
    return {
      scheduleReload: (reason: string) => this.#scheduleReload(reason),
      reconsiderReload: () => this.#side?.reloads.reconsider(),
      trustUsage: this.#usage((side) => side.trust, unknownTrust),
      upstreamUsage: this.#usage((side) => side.upstreams, unknownUpstreams),
      httpsUsage: this.#usage((side) => side.https, unknownHttps),
      challengesUsage: this.#usage((side) => side.challenges, unknownChallenges),
    };
  }

  #scheduleReload(reason: string): boolean {
    if (this.#side?.mayReload() !== true) return false;
    this.#side.reloads.schedule(reason);
    return true;
  }

  /** How the configuration uses one of the maps. */
  #usage<Used>(of: (side: ProxySide) => Used, unknown: Used): { readonly last: Used; check(): Promise<Used> } {
    const last = () => (this.#side === null ? unknown : of(this.#side));
    return {
      get last() {
        return last();
      },
      check: async () => {
        await this.#side?.check();
        return last();
      },
    };
  }
}
