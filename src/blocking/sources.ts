// Who wants addresses blocked: `manual`, fail2ban, a list. Requests name sources; claims have their numbers.

import type { BlockedIp } from '../api/blocked-entries.ts';
import type { Caller } from '../api/caller.ts';
import type { Claim as ShownClaim, Source } from '../api/sources.ts';
import { codes } from '../errors/catalogue.ts';
import { ServiceError } from '../errors/service-error.ts';
import type { Claim } from '../store/blocked-changes.ts';
import { MANUAL } from '../store/claims.ts';
import type { ClaimsStore } from '../store/claims-store.ts';
import { stateOf } from '../store/releases-store.ts';
import type { SourceKind } from '../store/schema.ts';
import { mostSources, type SourceRow, type SourcesStore } from '../store/sources-store.ts';
import { causeText, type Log } from '../telemetry/log.ts';

export interface NamedSource {
  readonly id: number;
  readonly name: string;
  readonly kind: SourceKind;
}

/** The source of every request that names none and whose key is bound to none. */
export const manualName = 'manual';
const manual: NamedSource = { id: MANUAL, name: manualName, kind: 'manual' };

/** `released`: as it was when the request named the source. */
export type ClaimingSource = NamedSource & Pick<Partial<SourceRow>, 'released'>;

interface EnsuredSource {
  readonly source: ClaimingSource;
  readonly created: boolean;
}

interface SourcesDeps {
  readonly store: SourcesStore;
  readonly claims: Pick<ClaimsStore, 'ofRows'>;
  readonly now: () => Date;
  readonly log: Pick<Log, 'warn'>;
}

/** Requests in progress that name a source. */
interface Naming {
  requests: number;
  /** The source that one of them created. */
  created: NamedSource | null;
  /** One of them succeeded, or the source was named otherwise. */
  isKept: boolean;
  /** It is decided whether the source stays; requests that name it wait. */
  ending: Promise<void> | null;
}

export class Sources {
  readonly #deps: SourcesDeps;
  readonly #naming = new Map<string, Naming>();

  constructor(deps: SourcesDeps) {
    this.#deps = deps;
  }

  /**
   * The source that a request to add claims acts on, created as `kind` if it is new. Errors of `sourceOf`.
   */
  async toClaim(
    requested: string | undefined,
    kind: Exclude<SourceKind, 'manual'>,
    caller: Caller,
  ): Promise<ClaimingSource | undefined> {
    const name = sourceOf(requested, caller);
    return name === undefined ? undefined : (await this.ensure(name, kind)).source;
  }

  /**
   * `change` with the source of `toClaim`. If this and all requests beside it fail, a source that one of them created, and
   * that has no claims, is as if it had not been named.
   */
  async claiming<T>(
    requested: string | undefined,
    kind: Exclude<SourceKind, 'manual'>,
    caller: Caller,
    change: (source: ClaimingSource | undefined) => Promise<T>,
  ): Promise<T> {
    const name = sourceOf(requested, caller);
    if (name === undefined) return await change(undefined);
    await this.#naming.get(name)?.ending;
    const naming = this.#naming.get(name) ?? { requests: 0, created: null, isKept: false, ending: null };
    this.#naming.set(name, naming);
    naming.requests += 1;
    try {
      const { source, created } = await this.#found(name, kind);
      if (created) naming.created = source;
      const result = await change(source);
      naming.isKept = true;
      return result;
    } finally {
      naming.requests -= 1;
      if (naming.requests === 0) {
        naming.ending = this.#end(naming);
        await naming.ending;
        this.#naming.delete(name);
      }
    }
  }

  async #end({ created, isKept }: Naming): Promise<void> {
    if (created === null || isKept) return;
    try {
      // An error after the commit leaves claims behind.
      if ((await this.#deps.store.find(created.name))?.claims === 0) await this.#deps.store.createdInVain(created.id);
    } catch (error) {
      // The request has failed already, with the error that counts.
      this.#deps.log.warn('A source without claims was left behind', { source: created.name, cause: causeText(error) });
    }
  }

  /** Whether the request acts on a list: it is sent again and again, so it ends no trust. */
  async actsOnList(requested: string | undefined, caller: Caller): Promise<boolean> {
    const name = sourceOf(requested, caller);
    return name !== undefined && name !== manualName && (await this.#deps.store.find(name))?.kind === 'list';
  }

  /** The source of that name, created as one of an agent if it is new. */
  async forAgent(name: string): Promise<ClaimingSource> {
    return (await this.ensure(name, 'agent')).source;
  }

  /**
   * Call when claims of the source are stored, not earlier: until then `keep` must answer that they were dropped. After a
   * crash in between it answers so once more.
   */
  async claimsAgain(source: ClaimingSource | undefined): Promise<void> {
    if (source?.released === undefined || stateOf(source.released) !== 'reported') return;
    await this.#deps.store.claimsAgain(source.id, source.released);
  }

  /** Requests beside this one do not end the source. */
  async #keep(name: string): Promise<void> {
    await this.#naming.get(name)?.ending;
    const naming = this.#naming.get(name);
    if (naming !== undefined) naming.isKept = true;
  }

  /** Created as `kind` if it is new. Errors: 409 when there are too many. */
  async ensure(name: string, kind: Exclude<SourceKind, 'manual'>): Promise<EnsuredSource> {
    await this.#keep(name);
    return await this.#found(name, kind);
  }

  async #found(name: string, kind: Exclude<SourceKind, 'manual'>): Promise<EnsuredSource> {
    if (name === manualName) return { source: manual, created: false };
    const known = await this.#deps.store.find(name);
    if (known?.removed === 0) return { source: known, created: false };
    const source = await this.#deps.store.create(name, kind, this.#deps.now());
    if (source !== null) return { source, created: true };
    const detail = `the source ${name} would be new, and there are ${mostSources} sources, the maximum; name an existing one`;
    throw new ServiceError(codes.Conflict, 'create source', detail);
  }

  /** @throws ServiceError 404 when there is no such source */
  async find(name: string): Promise<NamedSource> {
    const found = name === manualName ? manual : await this.#deps.store.find(name);
    if (found === null) throw new ServiceError(codes.NotFound, 'find source', `there is no source ${name}`);
    return found;
  }

  /** Null: it was never named. */
  async known(name: string): Promise<(NamedSource & Pick<SourceRow, 'claims'>) | null> {
    return await this.#deps.store.find(name);
  }

  /** Null: it was never named, or is removed and has no claims. */
  async get(name: string): Promise<Source | null> {
    const source = await this.#deps.store.find(name);
    return source === null || !isShown(source) ? null : shownSource(source);
  }

  /** All of them. */
  async byNumber(): Promise<ReadonlyMap<number, NamedSource>> {
    return new Map((await this.#deps.store.list()).map((source) => [source.id, source]));
  }

  /** As the API shows them; undefined: only `manual` has one, as for most addresses. */
  async shown(claims: readonly Claim[] | undefined): Promise<ShownClaim[] | undefined> {
    return claims === undefined || claims.every(isManual) ? undefined : await this.named(claims);
  }

  /** The same, also if only `manual` has one. */
  async named(claims: readonly Claim[]): Promise<ShownClaim[]> {
    return claims.length === 0 ? [] : shownBy(await this.#deps.store.list(), claims);
  }

  /** By address, as the API shows them; without addresses that only `manual` claims. */
  async claimsOf(rows: readonly BlockedIp[]): Promise<ReadonlyMap<string, ShownClaim[]>> {
    const all = [...(await this.#deps.claims.ofRows(rows))].filter(([, claims]) => !claims.every(isManual));
    if (all.length === 0) return new Map();
    const sources = await this.#deps.store.list();
    return new Map(all.map(([text, claims]) => [text, shownBy(sources, claims)]));
  }

  /** For the metrics. */
  async claimsByKind(): Promise<Readonly<Record<SourceKind, number>>> {
    return await this.#deps.store.claimsByKind();
  }

  async list(): Promise<readonly Source[]> {
    return (await this.#deps.store.list()).filter(isShown).map(shownSource);
  }

  /** For a request that adds no claim: a source that does not exist has none, and would be of `kind`. */
  async toPreview(
    requested: string | undefined,
    kind: Exclude<SourceKind, 'manual'>,
    caller: Caller,
  ): Promise<NamedSource | undefined> {
    const name = sourceOf(requested, caller);
    if (name === undefined) return undefined;
    if (name === manualName) return manual;
    return (await this.#deps.store.find(name)) ?? { id: noSource, name, kind };
  }
}

/** Never the number of a source. */
const noSource = -1;

/** False for a key that is marked as `manual`, too. */
export function isBound({ boundTo }: Pick<Caller, 'boundTo'>): boolean {
  return boundTo !== undefined && boundTo !== manualName;
}

/**
 * The source of a request; undefined: none, so `manual` and, for removals, agents. A key bound to `fail2ban` may also name `fail2ban:sshd`. One marked as `manual` acts as
 * if it were not bound.
 * @throws ServiceError 403 when the key is bound to another source
 */
export function sourceOf(requested: string | undefined, { keyName, boundTo }: Caller): string | undefined {
  const bound = isBound({ boundTo }) ? boundTo : undefined;
  if (bound === undefined) return requested;
  if (requested === undefined || requested === bound || requested.startsWith(`${bound}:`)) return requested ?? bound;
  throw new ServiceError(
    codes.Forbidden,
    'choose source',
    `the key ${keyName} is bound to the source ${bound}, so it cannot change claims of ${requested}; name ${bound} or ${bound}:…, or none`,
  );
}

/** A removed one is shown while it has claims. */
function isShown({ removed, claims }: SourceRow): boolean {
  return removed === 0 || claims > 0;
}

function shownSource({ id: _, removed: _r, released: _d, ...shown }: SourceRow): Source {
  return shown;
}

function isManual({ source }: Claim): boolean {
  return source === MANUAL;
}

function shownBy(sources: readonly NamedSource[], claims: readonly Claim[]): ShownClaim[] {
  return claims.map(({ source, row: { reason, blocked_by, blocked_at, expires_at } }) => {
    // Created before its first claim, and never deleted while it has one; otherwise another process did it.
    const { name, kind } = sources.find(({ id }) => id === source) ?? { name: `#${source}`, kind: 'list' as const };
    return { source: name, kind, reason, blocked_by, claimed_at: blocked_at, expires_at };
  });
}
