// All claims of a source at once: an agent that stops releases them after a time, and keeps them when it is back before;
// an operator removes a source.

import type { Caller } from '../api/caller.ts';
import type { KeptSource, ReleasedSource, RemovedSource, Source } from '../api/sources.ts';
import { codes } from '../errors/catalogue.ts';
import { ServiceError } from '../errors/service-error.ts';
import { crashPoint } from '../faults/crash-point.ts';
import { type AuditedChange, auditedChange } from '../store/audit-rows.ts';
import type { ReleasesStore } from '../store/releases-store.ts';
import type { SourceKind } from '../store/schema.ts';
import type { Log } from '../telemetry/log.ts';
import type { BulkRunner } from './bulk/bulk-runner.ts';
import { ExpiryLoop } from './expiry-loop.ts';
import { manualName, type NamedSource, type Sources, sourceOf } from './sources.ts';
import { stored } from './write/change-failure.ts';
import type { Outcomes } from './write/outcomes.ts';

interface SourceChange {
  /** Absent: kept; of a new source `list`. */
  readonly kind?: Exclude<SourceKind, 'manual'> | undefined;
  /** Absent: kept; null: none. */
  readonly note?: string | null | undefined;
}

interface ReleasesDeps {
  readonly store: ReleasesStore;
  readonly sources: Sources;
  readonly bulk: Pick<BulkRunner, 'drop'>;
  readonly outcomes: Pick<Outcomes, 'reportDrop' | 'reportDueRelease' | 'reportSource'>;
  readonly log: Log;
  readonly now: () => Date;
}

export class Releases {
  readonly #deps: ReleasesDeps;
  readonly #loop: ExpiryLoop;

  constructor(deps: ReleasesDeps) {
    this.#deps = deps;
    this.#loop = new ExpiryLoop({ what: 'Released claims', log: deps.log, expireOnce: () => this.dropDue() });
  }

  start(): void {
    this.#loop.start();
  }

  async stop(): Promise<void> {
    await this.#loop.stop();
  }

  /** Errors: 1100. */
  async get(name: string): Promise<Source> {
    const source = await this.#deps.sources.get(name);
    if (source === null) throw noSource('get source', name);
    return source;
  }

  /** Errors: 403, 6036. */
  async put(
    name: string,
    change: SourceChange,
    caller: Caller,
  ): Promise<{ readonly created: boolean; readonly answer: Source }> {
    if (name === manualName && change.kind !== undefined) throw ofManual('change source', 'its kind cannot change');
    sourceOf(name, caller);
    const { source, created } = await this.#deps.sources.ensure(name, change.kind ?? 'list');
    const audited = auditedChange('set_source', caller, { target: name, details: { ...change } });
    await stored(() => this.#deps.store.change(source.id, change, this.#deps.now(), audited));
    this.#deps.outcomes.reportSource('set_source', name, caller);
    return { created, answer: await this.get(name) };
  }

  /** Its claims stay until `seconds` have passed. Errors: 403, 1100, 6036. */
  async release(name: string, seconds: number, caller: Caller): Promise<ReleasedSource> {
    const source = await this.#ownSource('release source', name, caller);
    const now = this.#deps.now();
    const at = new Date(now.getTime() + seconds * 1_000);
    const release_at = at.toISOString();
    const audited = auditedChange('release', caller, { target: name, details: { release_at } });
    await stored(() => this.#deps.store.release(source.id, at, now, audited));
    this.#deps.outcomes.reportSource('release', name, caller);
    return { name, claims: source.claims, release_at };
  }

  /** Takes a release back. Errors: 403, 6036; a source that does not exist has kept nothing. */
  async keep(name: string, caller: Caller): Promise<KeptSource> {
    if (name === manualName) throw ofManual('keep source', 'its claims are never released');
    sourceOf(name, caller);
    const source = await this.#deps.sources.known(name);
    if (source === null) return { name, claims: 0, kept: false };
    const audited = auditedChange('keep', caller, { target: name });
    const kept = await stored(() => this.#deps.store.keep(source.id, this.#deps.now(), audited));
    this.#deps.outcomes.reportSource('keep', name, caller);
    return { name, claims: source.claims, kept };
  }

  /** Drops all its claims. Errors: 403, 1100, 6036. */
  async remove(name: string, caller: Caller): Promise<RemovedSource> {
    if (name === manualName) throw ofManual('remove source', 'it is the source of requests that name none');
    sourceOf(name, caller);
    await this.get(name);
    const source = await this.#deps.sources.find(name);
    const audited = auditedChange('remove_source', caller, { target: name });
    const done = await this.#deps.bulk.drop(source, this.#deps.store.removes(source.id), audited);
    if (done === null) throw noSource('remove source', name);
    return { name, ...this.#deps.outcomes.reportDrop(name, done, caller) };
  }

  async #ownSource(op: string, name: string, caller: Caller): Promise<NamedSource & { readonly claims: number }> {
    if (name === manualName) throw ofManual(op, 'its claims are unblocked one by one');
    sourceOf(name, caller);
    const source = await this.#deps.sources.known(name);
    if (source === null) throw noSource(op, name);
    return source;
  }

  /** Never more to do at once. */
  async dropDue(): Promise<boolean> {
    for (const source of await this.#deps.store.due(this.#deps.now())) {
      crashPoint('release.due');
      const now = this.#deps.now();
      const rows: number[] = [];
      const audited = auditedDrop(source, rows);
      const done = await this.#deps.bulk.drop(source, this.#deps.store.stillDue(source.id, now), audited);
      // A `keep` or another release came first.
      if (done === null) continue;
      crashPoint('release.dropped');
      await this.#deps.store.dropped(source.id, now);
      this.#deps.outcomes.reportDueRelease(source.name, done, rows);
    }
    return false;
  }
}

function auditedDrop({ name }: NamedSource, rows: number[]): AuditedChange {
  const note = { operation: 'drop_released', keyName: null, source: null, requestId: null, target: name };
  return { note, written: (row) => rows.push(row) };
}

function noSource(op: string, name: string): ServiceError {
  return new ServiceError(codes.NotFound, op, `there is no source ${name}`);
}

function ofManual(op: string, why: string): ServiceError {
  return new ServiceError(codes.ManualSource, op, `not possible for the source ${manualName}: ${why}`);
}
