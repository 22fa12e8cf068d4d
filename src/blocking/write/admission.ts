// Trusted entries and upstreams are not blocked without `force`, wide networks not without `allow_wide`, and an address
// cannot be blocked and unblocked at once.

import type { BulkAnswer, Rejection, SpecialEntry } from '../../api/blocked-ips-bulk.ts';
import type { Caller } from '../../api/caller.ts';
import type { IpEntry } from '../../domain/ip.ts';
import { describeWideness, specialOf, widenessOf } from '../../domain/special-ranges.ts';
import { codes } from '../../errors/catalogue.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { BlockedChange, ExpiryChange } from '../../store/blocked-ips-store.ts';
import type { StagedRow } from '../../store/bulk-store.ts';
import type { BatchRequest, BulkItem, Expiry, RequestedBlock } from '../blocked-set-service.ts';
import { TrustedEntries } from '../trusted-entries.ts';
import type { UpstreamEntries } from '../upstream-entries.ts';

type Addition = Extract<BlockedChange, { op: 'add' }>;
type Removal = Extract<BlockedChange, { op: 'remove' }>;
type Refusal = Pick<Rejection, 'why' | 'code'>;

interface ListPermissions {
  /** For every element, whatever its own setting. */
  readonly allowWide?: boolean;
}

export interface AdmittedBatch {
  readonly changes: (Addition | Removal)[];
  readonly rejected: Rejection[];
  readonly special: SpecialEntries;
  /** What is blocked without `force`: it ends trust. */
  readonly unforced: IpEntry[];
}

export interface AdmittedBlock {
  readonly change: Addition;
  readonly overriddenBy: string[];
  readonly trustedInside: string[];
  /** Networks of upstreams inside it. */
  readonly upstreamsInside: string[];
}

interface AdmissionDeps {
  readonly trusted: TrustedEntries;
  readonly upstreams: UpstreamEntries;
  /** False: the live configuration also denies trusted addresses, so trust has no effect. */
  readonly trustHasEffect: () => Promise<boolean>;
  /** Whether exactly this canonical text has an entry that has not expired. */
  readonly isBlocked: (ip: string) => Promise<boolean>;
  readonly now: () => Date;
}

export class Admission {
  readonly #deps: AdmissionDeps;

  constructor(deps: AdmissionDeps) {
    this.#deps = deps;
  }

  /**
   * `trustedInside`: the first 100.
   * @param byList whether the claim is that of a list
   * @throws ServiceError 409 when it is wide without `allowWide`, or inside an upstream or fully trusted without `force`
   */
  async admitOne(request: RequestedBlock, caller: Caller, byList: () => Promise<boolean>): Promise<AdmittedBlock> {
    const { entry } = request;
    const wide = request.allowWide === true ? null : widenessOf(entry);
    if (wide !== null) {
      const detail = `${describeWideness(entry, wide)}; to block it anyway, send allow_wide: true with an admin key`;
      const members = { ip_address: entry.text, contains: wide.contains };
      throw new ServiceError(codes.WideNetwork, 'block', detail, { members });
    }
    const { trusted, upstreams } = this.#deps;
    const inside = request.force ? null : this.insideUpstream(entry);
    if (inside !== null)
      throw new ServiceError(codes.InsideUpstream, 'block', `${inside.why}${orForce}`, {
        members: { upstream: inside.upstream },
      });
    const change = this.#toChange(request, caller);
    const upstreamsInside = upstreams.inside(entry);
    const endsTrust = !request.force && trusted.isException(entry) && !(await byList());
    const overriddenBy = endsTrust ? [] : trusted.covering(entry);
    const trustedInside = trusted.inside(entry);
    // Most blocks concern no trusted address and need no check of the configuration.
    const concerned = overriddenBy.length > 0 || trustedInside.length > 0;
    if (concerned && !(await this.#deps.trustHasEffect()))
      return { change, overriddenBy: [], trustedInside: [], upstreamsInside };
    if (overriddenBy.length > 0 && !request.force) throw coveredByTrust(entry, overriddenBy);
    return { change, overriddenBy, trustedInside, upstreamsInside };
  }

  /** What overrides a block of it now. */
  async overriding(entry: IpEntry): Promise<string[]> {
    const covering = this.#deps.trusted.covering(entry);
    return covering.length > 0 && (await this.#deps.trustHasEffect()) ? covering : [];
  }

  /** The changes of both lists; `rejected`: without those that the HTTP layer rejected before. */
  async admitBatch(
    request: BatchRequest,
    { allowWide = false }: ListPermissions,
    caller: Caller,
    byList: () => Promise<boolean>,
  ): Promise<AdmittedBatch> {
    const trusted = await this.trustInForce();
    const mayEndTrust = this.#deps.trusted.anyTemporary && !(await byList());
    const unforced: IpEntry[] = [];
    const rejected: Rejection[] = [];
    const special = new SpecialEntries();
    const toRemove = new Set(request.remove.map(({ entry }) => entry.text));
    const toAdd = new Set(request.add.map(({ request: { entry } }) => entry.text));
    const changes: (Addition | Removal)[] = [];
    for (const { index, request: wanted } of request.add) {
      const { text } = wanted.entry;
      const ends = mayEndTrust && !wanted.force && this.#deps.trusted.isException(wanted.entry);
      const refusal = toRemove.has(text)
        ? inBothLists
        : this.#refusalOf(wanted, allowWide, ends ? nothingTrusted : trusted);
      if (refusal !== null) rejected.push({ list: 'add', index, value: text, ...refusal });
      else {
        changes.push(this.#toChange(wanted, caller));
        special.note(wanted.entry);
        if (!wanted.force) unforced.push(wanted.entry);
      }
    }
    for (const { index, entry } of request.remove) {
      if (toAdd.has(entry.text)) rejected.push({ list: 'remove', index, value: entry.text, ...inBothLists });
      else changes.push({ op: 'remove', entry });
    }
    return { changes, rejected, special, unforced };
  }

  /** `reject` gets each element left out. Existing entries stay, wide or trusted: left out, they would be unblocked. */
  async *admitStream(
    source: AsyncIterable<readonly BulkItem[]>,
    { allowWide = false }: ListPermissions,
    heard: { readonly reject: (rejection: Rejection) => void; readonly special: SpecialEntries },
    caller: Caller,
  ): AsyncIterable<readonly StagedRow[]> {
    let position = -1;
    for await (const items of source) {
      const trusted = await this.trustInForce();
      const rows: StagedRow[] = [];
      for (const item of items) {
        position += 1;
        if (!item.ok) {
          heard.reject(item.rejection);
          continue;
        }
        const { entry } = item.request;
        const refusal = this.#refusalOf(item.request, allowWide, trusted);
        if (refusal === null || (await this.#deps.isBlocked(entry.text))) {
          rows.push(this.#toChange(item.request, caller));
          heard.special.note(entry);
        } else {
          const where = item.line === undefined ? { index: position } : { line: item.line };
          heard.reject({ ...where, value: entry.text, ...refusal });
        }
      }
      yield rows;
    }
  }

  #refusalOf(
    { entry, allowWide, force }: RequestedBlock,
    allAllowed: boolean,
    trusted: TrustedEntries,
  ): Refusal | null {
    const wide = allAllowed || allowWide === true ? null : widenessOf(entry);
    if (wide !== null) return { why: describeWideness(entry, wide), code: codes.WideNetwork };
    if (force) return null;
    const inside = this.insideUpstream(entry);
    if (inside !== null) return { why: `${inside.why}${orForce}`, code: codes.InsideUpstream };
    const [covering] = trusted.covering(entry);
    if (covering === undefined) return null;
    const why = `${entry.text} is covered by the trusted ${covering}, which overrides blocks`;
    return { why, code: codes.CoveredByTrust };
  }

  /** The upstream itself is always served, so the block would deny nothing, or clients that only the upstream names. */
  insideUpstream(entry: IpEntry): { readonly why: string; readonly upstream: string } | null {
    const found = this.#deps.upstreams.of(entry);
    if (found === null) return null;
    const { name, network } = found;
    const where = network === entry.text ? 'is a network' : `is inside ${network}, a network`;
    return {
      upstream: name,
      why: `${entry.text} ${where} of the upstream ${name}, which is served because it acts for its clients: block the address of the client instead`,
    };
  }

  /** None if the live configuration does not exempt trusted addresses. */
  async trustInForce(): Promise<TrustedEntries> {
    return this.#deps.trusted.isEmpty || (await this.#deps.trustHasEffect()) ? this.#deps.trusted : nothingTrusted;
  }

  #toChange(request: RequestedBlock, caller: Caller): Addition {
    return {
      op: 'add',
      entry: request.entry,
      reason: request.reason,
      // An existing entry keeps its author unless the request names one.
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
        return { kind: 'later-of', until: new Date(this.#deps.now().getTime() + expiry.seconds * 1_000).toISOString() };
      case 'not-before':
        return { kind: 'later-of', until: expiry.at.toISOString() };
      default:
        return { kind: expiry.kind };
    }
  }
}

const nothingTrusted = new TrustedEntries();
const inBothLists: Refusal = { why: 'it is in both add and remove' };

const orForce = '; to store it anyway, send force: true with an admin key';

function coveredByTrust(entry: IpEntry, covering: readonly string[]): ServiceError {
  return new ServiceError(
    codes.CoveredByTrust,
    'block',
    `${entry.text} is covered by the trusted ${covering.join(', ')}, which overrides blocks${orForce}`,
    { members: { overridden_by: covering } },
  );
}

const listedSpecial = 100;

/** Accepted entries in special ranges. */
export class SpecialEntries {
  readonly #first: SpecialEntry[] = [];
  #total = 0;

  note(entry: IpEntry): void {
    const special = specialOf(entry);
    if (special === null) return;
    this.#total += 1;
    if (this.#first.length < listedSpecial) this.#first.push({ ip_address: entry.text, special });
  }

  get members(): Pick<BulkAnswer, 'special' | 'special_total'> {
    return this.#total === 0 ? {} : { special: this.#first, special_total: this.#total };
  }
}
