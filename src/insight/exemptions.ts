// Who is never a candidate: blocked and trusted addresses, upstreams, the networks of known CDNs.
import { covers, type IpEntry, parseIp } from '../domain/ip.ts';
import { presetNames, presetNetworks } from '../domain/upstream-presets.ts';
import type { Exemptions } from './candidate-watch.ts';

interface ExemptionDeps {
  /** By address; absent: no entry covers it. @throws StoreError */
  readonly blocked: (address: string) => Promise<boolean>;
  /** Trusted networks around it, and what is trusted inside it. @throws StoreError */
  readonly trusted: (entry: IpEntry) => Promise<boolean>;
  /** Networks of all upstreams. @throws StoreError */
  readonly upstreams: () => Promise<readonly IpEntry[]>;
}

const cdns = presetNames.flatMap(presetNetworks);

export class CandidateExemptions implements Exemptions {
  readonly #deps: ExemptionDeps;

  constructor(deps: ExemptionDeps) {
    this.#deps = deps;
  }

  async reason(address: string): Promise<string | null> {
    const parsed = parseIp(address);
    if (!parsed.ok) return parsed.why;
    const { entry } = parsed;
    const overlaps = (network: IpEntry): boolean => covers(network, entry) || covers(entry, network);
    if (cdns.some(overlaps)) return 'a known CDN';
    if (await this.#deps.blocked(address)) return 'blocked';
    if (await this.#deps.trusted(entry)) return 'trusted';
    const upstreams = (await this.#deps.upstreams()).some(overlaps);
    return upstreams ? 'an upstream' : null;
  }
}
