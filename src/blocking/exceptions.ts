// An exception is a trust with an end: it allows an address although lists claim it. The next block of the address by
// an operator or an agent ends it (ADR 0064). Of a block and an exception at the same time the order of their turns
// decides which came last: each makes, or ends, the trust with regard to the claims as they are in its turn.

import type { Caller } from '../api/caller.ts';
import type { RuntimeReport } from '../api/changes.ts';
import type { TrustedIp } from '../api/trusted-ips.ts';
import type { IpEntry } from '../domain/ip.ts';
import { codes } from '../errors/catalogue.ts';
import { ServiceError } from '../errors/service-error.ts';
import { isExpired } from '../store/blocked-changes.ts';
import type { ClaimsStore } from '../store/claims-store.ts';
import { type ChangeCounts, runtimeReport } from './answers.ts';
import type { TrustedSet } from './trusted-set.ts';
import { changeFailure, hasStored, unexpected } from './write/change-failure.ts';

const listedEnded = 100;

/** Which trust there was when a block was stored. */
export interface TrustBefore {
  /** Call when the block is stored: trust that is put later overrules it. */
  readonly note: () => void;
  /** The number of the last put. Before `note`: no trust came before the block. */
  readonly puts: number;
}

type Ended<Answer> = Answer & { readonly trust_ended?: string[] };
type Trusted<Answer> = Answer & { readonly trusted?: TrustedIp };

interface ExceptionsDeps {
  readonly trusted: Pick<TrustedSet, 'entries' | 'putInTurn' | 'endEarly'>;
  readonly claims: Pick<ClaimsStore, 'claimedAmong'>;
  readonly now: () => Date;
}

export class Exceptions {
  readonly #deps: ExceptionsDeps;

  constructor(deps: ExceptionsDeps) {
    this.#deps = deps;
  }

  /** Of a block that is not stored yet. */
  before(): TrustBefore {
    const { entries } = this.#deps.trusted;
    let puts = 0;
    return {
      note: () => {
        puts = entries.puts;
      },
      get puts() {
        return puts;
      },
    };
  }

  /**
   * Ends the trust of these addresses after they were blocked. A crash in between leaves both, and the repeated request
   * ends the trust. Trust that came since stays, as does all trust if the claim was dropped since (ADR 0064).
   * @param source of the stored claims
   */
  async endedBy<Answer extends RuntimeReport>(
    entries: readonly IpEntry[],
    source: number,
    caller: Caller,
    stored: { readonly answer: Answer; readonly counts: ChangeCounts; readonly trust: Pick<TrustBefore, 'puts'> },
  ): Promise<Ended<Answer>> {
    const { trusted } = this.#deps;
    const { answer, trust } = stored;
    if (!trusted.entries.anyTemporary) return answer;
    const ended: string[] = [];
    let report: RuntimeReport = answer;
    try {
      for (const entry of entries) {
        if (!trusted.entries.isException(entry)) continue;
        const isOverruled = async () =>
          (trusted.entries.putOf(entry.text) ?? 0) <= trust.puts && (await this.#isClaimed(entry, source));
        const done = await trusted.endEarly(entry, caller, isOverruled);
        if (done === null) continue;
        ended.push(entry.text);
        report = both(report, done);
      }
    } catch (error) {
      throw changeFailure(error, stored.counts);
    }
    return { ...answer, ...report, ...(ended.length > 0 && { trust_ended: ended.slice(0, listedEnded) }) };
  }

  /**
   * Trusts the address, then drops what the caller may drop, in one turn: a block comes before or after both. A crash or
   * failure in between leaves all claims, and the trust ends by itself.
   * @param drop calls `trust` in its turn, unless there is nothing to drop
   */
  async unblocked<Answer extends RuntimeReport>(
    { entry, seconds }: { readonly entry: IpEntry; readonly seconds: number },
    caller: Caller,
    drop: (trust: () => Promise<void>) => Promise<Answer>,
  ): Promise<Trusted<Answer>> {
    const made: (TrustedIp & RuntimeReport)[] = [];
    const trust = async (): Promise<void> => {
      const change = { expiry: { kind: 'duration', seconds } } as const;
      made.push((await this.#deps.trusted.putInTurn(entry, change, caller)).answer);
    };
    const dropped = await drop(trust).catch((error: unknown) => {
      throw made[0] === undefined ? error : afterTrust(error, made[0].expires_at);
    });
    const [one] = made;
    if (one === undefined) return dropped;
    const { ip_address, note, added_at, expires_at } = one;
    return { ...dropped, ...both(dropped, one), trusted: { ip_address, note, added_at, expires_at } };
  }

  async #isClaimed(entry: IpEntry, source: number): Promise<boolean> {
    const claimed = (await this.#deps.claims.claimedAmong([entry.text])).get(entry.text);
    const now = this.#deps.now().toISOString();
    return claimed?.claims.some((claim) => claim.source === source && !isExpired(claim.row, now)) === true;
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

/** Says what is stored: the trust, and the drop if it was committed before it failed. */
function afterTrust(failure: unknown, end: string | null): ServiceError {
  const error = failure instanceof ServiceError ? failure : changeFailure(failure);
  const { code, op, detail, cause, fields, members, retryAfterSeconds } = error;
  const until = end === null ? 'permanently' : `until ${end}`;
  const claims = hasStored(error) ? 'claims were dropped' : 'but its claims were not dropped';
  const what = `the address is trusted ${until}, ${claims}`;
  // That detail would say that nothing was changed.
  return new ServiceError(code, op, code === codes.ChangeFailed ? unexpected(what) : `${detail}; ${what}`, {
    cause: cause ?? error,
    fields,
    members,
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  });
}
