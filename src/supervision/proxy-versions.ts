import {
  capabilitiesOf,
  type ProxyCapabilities,
  type ProxyVersion,
  parseRunningVersion,
  readProxyVersion,
} from '../haproxy/process/proxy-version.ts';
import type { Log } from '../telemetry/log.ts';

/**
 * The tested release branches: `npm test` runs the tests of the interface to HAProxy on each, and those of the product
 * on the distribution's and the newest; `npm run test:long` runs all tests on each.
 */
const testedBranches: readonly string[] = ['2.6', '3.0', '3.2', '3.4'];

export class ProxyVersions {
  readonly #bin: string;
  readonly #log: Log;
  #version: ProxyVersion | null = null;

  constructor(bin: string, log: Log) {
    this.#bin = bin;
    this.#log = log;
  }

  /** @throws ProxyVersionError when it cannot be read, or is below 1.6 */
  async read(): Promise<void> {
    const version = await readProxyVersion(this.#bin);
    if (version.text !== this.#version?.text) this.#log.info('HAProxy version', { version: version.text });
    this.#version = version;
  }

  /** The running version, if known: after an upgrade a reload runs another than that found at start. */
  versionOf(running: string | null): string {
    return running ?? this.#version?.text ?? 'unknown';
  }

  /** Of the running version, if known: an upgrade replaces the binary before the running proxy. */
  capabilitiesOf(running: string | null): ProxyCapabilities {
    const version = running === null ? null : parseRunningVersion(running);
    return version === null ? this.capabilities : capabilitiesOf(version);
  }

  get capabilities(): ProxyCapabilities {
    // Unknown: nothing can be relied on.
    return capabilitiesOf(this.#version ?? { text: '', major: 0, minor: 0 });
  }

  /** For `/health`, if this branch of HAProxy is not tested; null: tested or unknown. */
  untested(running: string | null): string | null {
    const version = running === null ? this.#version : parseRunningVersion(running);
    if (version === null || testedBranches.includes(`${version.major}.${version.minor}`)) return null;
    return `HAProxy ${version.text} is not a tested version; tested are ${testedBranches.join(', ')}`;
  }

  /** Features that the running version lacks, for `/health`. */
  unsupportedBy(running: string | null): string[] {
    const { masterSocket, versionedMaps } = this.capabilitiesOf(running);
    const version = this.versionOf(running);
    const lacking: string[] = [];
    if (!masterSocket) lacking.push(`master socket: unsupported by ${version} (1.9 has it)`);
    if (!versionedMaps) lacking.push(`versioned maps: unsupported by ${version} (2.4 has them)`);
    return lacking;
  }
}
