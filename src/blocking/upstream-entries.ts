// Which upstream an address belongs to, for admission and checks.
import type { IpEntry } from '../domain/ip.ts';
import type { Upstream } from '../domain/upstream.ts';
import { SmallEntries } from './small-entries.ts';

export interface UpstreamOf {
  readonly name: string;
  readonly network: string;
}

export class UpstreamEntries extends SmallEntries {
  readonly #names = new Map<string, string>();

  replaceAll(upstreams: Iterable<Pick<Upstream, 'name' | 'networks'>>): void {
    this.clear();
    this.#names.clear();
    for (const { name, networks } of upstreams) {
      for (const entry of networks) {
        this.hold(entry);
        this.#names.set(entry.text, name);
      }
    }
  }

  /** The narrowest network that contains all of it; null: none does. */
  of(entry: IpEntry): UpstreamOf | null {
    const [network] = this.covering(entry);
    return network === undefined ? null : { name: this.#names.get(network)!, network };
  }
}
