// An exception is a trust with an end: it allows an address although lists claim it. The next block of the address by
// an operator or an agent ends it (ADR 0064).

import type { Caller } from '../api/caller.ts';
import type { RuntimeReport } from '../api/changes.ts';
import type { TrustedIp } from '../api/trusted-ips.ts';
import { Mutex } from '../concurrency/mutex.ts';
import type { IpEntry } from '../domain/ip.ts';
import { ServiceError } from '../errors/service-error.ts';
import { type ChangeCounts, runtimeReport } from './answers.ts';
import type { TrustedSet } from './trusted-set.ts';
import { changeFailure } from './write/change-failure.ts';

const listedEnded = 100;

type Ended<Answer> = Answer & { readonly trust_ended?: string[] };
type Trusted<Answer> = Answer & { readonly trusted: TrustedIp };

export class Exceptions {
  readonly #trusted: Pick<TrustedSet, 'put' | 'endEarly'>;
  readonly #mutex = new Mutex();

  constructor(trusted: Pick<TrustedSet, 'put' | 'endEarly'>) {
    this.#trusted = trusted;
  }

  /**
   * Blocks, then ends the trust of these addresses. A crash in between leaves both, and the repeated request ends the
   * trust.
   * @param counts what `block` stored
   */
  async endedBy<Answer extends RuntimeReport>(
    entries: readonly IpEntry[],
    caller: Caller,
    block: () => Promise<{ readonly answer: Answer; readonly counts: ChangeCounts }>,
  ): Promise<Ended<Answer>> {
    return await this.#mutex.run(async () => {
      const { answer, counts } = await block();
      const ended: string[] = [];
      let report: RuntimeReport = answer;
      try {
        for (const entry of entries) {
          const done = await this.#trusted.endEarly(entry, caller);
          if (done === null) continue;
          ended.push(entry.text);
          report = both(report, done);
        }
      } catch (error) {
        throw changeFailure(error, counts);
      }
      return { ...answer, ...report, ...(ended.length > 0 && { trust_ended: ended.slice(0, listedEnded) }) };
    });
  }

  /**
   * Trusts the address, then drops what the caller may drop: a crash or failure in between leaves all claims, and the
   * trust ends by itself.
   */
  async unblocked<Answer extends RuntimeReport>(
    { entry, seconds }: { readonly entry: IpEntry; readonly seconds: number },
    caller: Caller,
    drop: () => Promise<Answer>,
  ): Promise<Trusted<Answer>> {
    return await this.#mutex.run(async () => {
      const { answer: trust } = await this.#trusted.put(entry, { expiry: { kind: 'duration', seconds } }, caller);
      const { ip_address, note, added_at, expires_at } = trust;
      try {
        const answer = await drop();
        return { ...answer, ...both(answer, trust), trusted: { ip_address, note, added_at, expires_at } };
      } catch (error) {
        throw notDropped(changeFailure(error), expires_at);
      }
    });
  }
}

function both(one: RuntimeReport, other: RuntimeReport): RuntimeReport {
  return {
    ...runtimeReport(
      [...one.runtime_map_failures, ...other.runtime_map_failures],
      one.reload_scheduled || other.reload_scheduled,
      one.runtime_map_failures_total + other.runtime_map_failures_total,
    ),
    runtime_map_updated: one.runtime_map_updated && other.runtime_map_updated,
  };
}

function notDropped(error: ServiceError, end: string | null): ServiceError {
  const { code, op, detail, cause, fields, members, retryAfterSeconds } = error;
  const until = end === null ? 'permanently' : `until ${end}`;
  return new ServiceError(code, op, `${detail}; the address is trusted ${until}, but its claims were not dropped`, {
    cause: cause ?? error,
    fields,
    members,
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  });
}
