// What of a request becomes a change of the blocked set. What is trusted is not blocked unless that is meant, and no
// address is blocked and unblocked at once.
import type { IpEntry } from '../domain/ip.ts';
import { codes } from '../errors/catalogue.ts';
import { ServiceError } from '../errors/service-error.ts';
import type { BlockedChange, ExpiryChange } from '../store/blocked-ips-store.ts';
import type { StagedRow } from '../store/bulk-store.ts';
import type { BlockRequest, BulkItem, Caller, Expiry, Rejection } from './answers.ts';
import type { BatchRequest } from './blocked-set-service.ts';
import type { TrustedEntries } from './trust.ts';

type Addition = Extract<BlockedChange, { op: 'add' }>;
type Removal = Extract<BlockedChange, { op: 'remove' }>;

export class Admission {
  readonly #trusted: TrustedEntries;
  readonly #now: () => Date;

  constructor(options: { readonly trusted: TrustedEntries; readonly now: () => Date }) {
    this.#trusted = options.trusted;
    this.#now = options.now;
  }

  /**
   * `overriddenBy`: what wins over it all the same. `trustedInside`: what stays served, the first 100.
   * @throws ServiceError 409 when it is wholly trusted and not forced
   */
  one(request: BlockRequest, caller: Caller): { change: Addition; overriddenBy: string[]; trustedInside: string[] } {
    const { entry } = request;
    const overriddenBy = this.#trusted.covering(entry);
    if (overriddenBy.length > 0 && !request.force) throw coveredByTrust(entry, overriddenBy);
    return {
      change: this.#toChange(request, caller),
      overriddenBy,
      trustedInside: this.#trusted.inside(entry),
    };
  }

  /** What of both lists is to be done; `rejected`: of this alone, not what the edge refused before. */
  batch(request: BatchRequest, caller: Caller): { changes: (Addition | Removal)[]; rejected: Rejection[] } {
    const rejected: Rejection[] = [];
    const toRemove = new Set(request.remove.map(({ entry }) => entry.text));
    const toAdd = new Set(request.add.map(({ request: { entry } }) => entry.text));
    const changes: (Addition | Removal)[] = [];
    for (const { index, request: wanted } of request.add) {
      const { text } = wanted.entry;
      const trusted = this.#against(wanted);
      if (toRemove.has(text)) rejected.push({ list: 'add', index, value: text, why: 'it is in both add and remove' });
      else if (trusted.length > 0) rejected.push({ list: 'add', index, value: text, why: trustedWhy(trusted) });
      else changes.push(this.#toChange(wanted, caller));
    }
    for (const { index, entry } of request.remove) {
      if (toAdd.has(entry.text)) {
        rejected.push({ list: 'remove', index, value: entry.text, why: 'it is in both add and remove' });
      } else changes.push({ op: 'remove', entry });
    }
    return { changes, rejected };
  }

  /** A whole set as it comes; `reject` is told of each element that is left out, also of what the edge refused. */
  async *stream(
    source: AsyncIterable<readonly BulkItem[]>,
    reject: (rejection: Rejection) => void,
    caller: Caller,
  ): AsyncIterable<readonly StagedRow[]> {
    let position = -1;
    for await (const items of source) {
      const rows: StagedRow[] = [];
      for (const item of items) {
        position += 1;
        if (!item.ok) {
          reject(item.rejection);
          continue;
        }
        const trusted = this.#against(item.request);
        if (trusted.length === 0) rows.push(this.#toChange(item.request, caller));
        else {
          const where = item.line === undefined ? { index: position } : { line: item.line };
          reject({ ...where, value: item.request.entry.text, why: trustedWhy(trusted) });
        }
      }
      yield rows;
    }
  }

  /** Trusted entries for which it is not blocked. */
  #against({ entry, force }: BlockRequest): string[] {
    return force ? [] : this.#trusted.covering(entry);
  }

  #toChange(request: BlockRequest, caller: Caller): Addition {
    return {
      op: 'add',
      entry: request.entry,
      reason: request.reason,
      // A new entry says who made it; an existing one keeps what it says unless somebody was named.
      blockedBy: request.blockedBy,
      defaultBlockedBy: caller.keyName,
      expiry: this.#toExpiry(request.expiry),
    };
  }

  #toExpiry(expiry: Expiry): ExpiryChange {
    switch (expiry.kind) {
      case 'at':
        return { kind: 'at', at: expiry.at.toISOString() };
      case 'duration':
        return { kind: 'later-of', until: new Date(this.#now().getTime() + expiry.seconds * 1_000).toISOString() };
      default:
        return { kind: expiry.kind };
    }
  }
}

function trustedWhy(covering: readonly string[]): string {
  return `it is covered by the trusted ${covering[0]}; with force it is stored, though trust wins`;
}

function coveredByTrust(entry: IpEntry, covering: readonly string[]): ServiceError {
  return new ServiceError(
    codes.CoveredByTrust,
    'block',
    `${entry.text} is covered by the trusted ${covering.join(', ')}, which wins over a block; send force to store it all the same`,
    { members: { overridden_by: covering } },
  );
}
