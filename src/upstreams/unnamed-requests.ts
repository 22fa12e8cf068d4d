// How many requests of each upstream named no client, and so passed the rule for the blocked map. The table of HAProxy
// has them by the address of the upstream, since the current worker started.

import type { UpstreamSet } from '../blocking/upstream-set.ts';
import { unnamedExpiryMs } from '../configuration/template/client-address-rules.ts';
import { counted } from '../domain/counted.ts';
import { parseIp } from '../domain/ip.ts';
import type { Upstream } from '../domain/upstream.ts';
import type { CountedAddress } from '../haproxy/process/request-table.ts';
import { causeText, type Log } from '../telemetry/log.ts';

export interface UnnamedRequests {
  readonly requests: number;
  /** Of the last one. */
  readonly lastAt: Date;
}

/** Each as a sentence. One that uses the PROXY protocol alone names no client only in its health checks. */
export function unnamedNotices(
  counts: UnnamedByUpstream | null,
  upstreams: readonly Pick<Upstream, 'name' | 'header'>[],
): string[] {
  return upstreams.flatMap(({ name, header }) => {
    const found = header === null ? undefined : counts?.get(name);
    if (found === undefined) return [];
    const { requests, lastAt } = found;
    return [
      `upstream ${name}: ${counted(requests, 'request')} without ${header} passed unchecked, the last one at ${lastAt.toISOString()}; health checks do, other requests must not (docs/upstreams.md)`,
    ];
  });
}

/** By the name of the upstream; one without such requests is missing. */
export type UnnamedByUpstream = ReadonlyMap<string, UnnamedRequests>;

interface UnnamedRequestCountsDeps {
  /** Null: the configuration does not count them. @throws when HAProxy does not answer */
  readonly read: () => Promise<readonly CountedAddress[] | null>;
  readonly upstreams: Pick<UpstreamSet, 'entries'>;
  readonly log: Log;
  readonly now: () => Date;
}

export class UnnamedRequestCounts {
  readonly #deps: UnnamedRequestCountsDeps;
  #lastFailure: string | null = null;

  constructor(deps: UnnamedRequestCountsDeps) {
    this.#deps = deps;
  }

  /** Null: unknown. Never throws; a failure that repeats is logged once. */
  async byUpstream(): Promise<UnnamedByUpstream | null> {
    if (this.#deps.upstreams.entries.isEmpty) return new Map();
    try {
      const counted = await this.#deps.read();
      this.#lastFailure = null;
      return counted === null ? null : this.#summed(counted);
    } catch (error) {
      const cause = causeText(error);
      if (cause !== this.#lastFailure)
        this.#deps.log.warn('Requests of upstreams without a client could not be counted', { cause });
      this.#lastFailure = cause;
      return null;
    }
  }

  #summed(counted: readonly CountedAddress[]): UnnamedByUpstream {
    const sums = new Map<string, UnnamedRequests>();
    const now = this.#deps.now().getTime();
    for (const { address, requests, expiresInMs } of counted) {
      const parsed = parseIp(address);
      // Of an upstream that was removed meanwhile.
      const name = parsed.ok ? this.#deps.upstreams.entries.of(parsed.entry)?.name : undefined;
      if (name === undefined) continue;
      const before = sums.get(name);
      const lastAt = new Date(Math.max(before?.lastAt.getTime() ?? 0, now - (unnamedExpiryMs - expiresInMs)));
      sums.set(name, { requests: (before?.requests ?? 0) + requests, lastAt });
    }
    return sums;
  }
}
