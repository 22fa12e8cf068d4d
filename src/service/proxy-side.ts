// What the service needs from the side that runs HAProxy and writes its configuration: the service itself
// (managed-proxy.ts), or the operator, and then the service keeps the maps only (attached-proxy.ts).

import type { AttachedReport, DriftReport } from '../api/health.ts';
import { type TrustInConfiguration, type TrustUsage, unknownTrust } from '../blocking/trusted-set.ts';
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

export interface ProxySide {
  readonly sites: SitesService;
  readonly configuration: ConfigurationService;
  readonly reloads: ReloadCoordinator;
  /** What the configuration does with the maps, as of the last look. */
  readonly trust: TrustInConfiguration;
  /** What `/health` says of the configuration that is written here; null: none is. */
  readonly drift: { report(): Promise<DriftReport> } | null;
  /** A crash interrupted a reload, which must be repaired. */
  readonly interrupted: boolean;
  /** False: no reload could enforce what is not in force, or none is allowed. */
  mayReload(): boolean;
  /** Checks the configuration again. Never throws. */
  look(): Promise<void>;
  /** What is wrong beside the maps, each as a sentence for `/health`. */
  problems(): Promise<readonly string[]>;
  /** What `/health` reports about a configuration that others write; null: it is written here. As of the last check. */
  attached(): AttachedReport | null;
  /** What an earlier run left, before anything is changed. */
  review(): Promise<void>;
  /** The maps are written: sees that there is a configuration, and that HAProxy runs where that is this side's job. */
  start(): Promise<void>;
  /** The start of HAProxy is not waited for any longer. */
  abandonStart(): void;
  stop(): Promise<void>;
  /** Ends HAProxy, where this side started it. */
  endProxy(): Promise<void>;
}

export interface ProxySideOptions {
  readonly settings: Settings;
  readonly sites: SitesStore;
  readonly history: ReloadsStore;
  readonly parts: Pick<BlockingParts, 'keeper' | 'trusted' | 'reconciler' | 'registry' | 'link'>;
  readonly socket: MasterSocket;
  readonly versions: ProxyVersions;
  readonly log: Log;
  readonly emit: Emit;
  readonly now: () => Date;
}

/** What the blocked set needs from the proxy's side, which is made after it and connected then. */
export class ProxyLink {
  #side: ProxySide | null = null;

  connect(side: ProxySide): void {
    this.#side = side;
  }

  get forBlocking() {
    return {
      scheduleReload: (reason: string) => this.#scheduleReload(reason),
      reconsiderReload: () => this.#side?.reloads.reconsider(),
      trustUsage: this.#trustUsage(),
    };
  }

  #scheduleReload(reason: string): boolean {
    if (this.#side?.mayReload() !== true) return false;
    this.#side.reloads.schedule(reason);
    return true;
  }

  #trustUsage(): TrustUsage {
    const last = () => this.#side?.trust ?? unknownTrust;
    return {
      get last() {
        return last();
      },
      look: async () => {
        await this.#side?.look();
        return last();
      },
    };
  }
}
