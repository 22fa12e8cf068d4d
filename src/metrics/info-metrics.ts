// Which versions run: series whose value is always 1.
import type { Instruments } from './instruments.ts';

export class InfoMetrics {
  readonly #proxy;

  constructor(instruments: Instruments, version: string) {
    instruments
      .gauge('build_info', 'The service; always 1.', ['version', 'node_version'])
      .set({ version, node_version: process.versions.node }, 1);
    this.#proxy = instruments.gauge('proxy_info', 'The proxy that runs, as it names itself; always 1.', ['version']);
  }

  /** It may be another one after a reload. */
  refresh(proxyVersion: string): void {
    this.#proxy.reset();
    this.#proxy.set({ version: proxyVersion }, 1);
  }
}
