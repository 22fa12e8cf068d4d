// Schedules a reload if the current worker is not verified, builds the report and emits the fact.

import type { BulkAnswer, Rejection, SyncAnswer } from '../../api/blocked-ips-bulk.ts';
import type { Caller } from '../../api/caller.ts';
import type { RuntimeReport } from '../../api/changes.ts';
import type { RemovedSource } from '../../api/sources.ts';
import type { BulkOperation } from '../../events/event-types.ts';
import type { Emit } from '../../events/facts.ts';
import type { BlockedEffect } from '../../store/blocked-ips-store.ts';
import { runtimeReport } from '../answers.ts';
import type { BulkResult } from '../bulk/bulk-runner.ts';
import type { ChangeResult } from './group-writer.ts';

type DroppedClaims = Omit<RemovedSource, 'name'>;

interface Deps {
  /** False: no reload of this configuration could enforce anything, so none is scheduled. */
  readonly scheduleReload: (reason: string) => boolean;
  readonly emit: Emit;
}

export class Outcomes {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  reportChange(operation: 'block' | 'unblock', ip: string, result: ChangeResult, caller: Caller): RuntimeReport {
    const report = this.#report(`${operation} ${ip}`, result);
    const { effects } = result;
    this.#deps.emit('operation.done', { operation, caller, subject: { ip_address: ip }, effects, report });
    return report;
  }

  /**
   * @param rejected the first of them
   * @param effects absent: only counted
   */
  reportBulk(
    operation: BulkOperation,
    done: BulkResult,
    rejected: { readonly total: number; readonly first: readonly Rejection[] },
    caller: Caller,
    effects?: readonly BlockedEffect[],
  ): BulkAnswer {
    const report = this.#report(operation, done);
    const { added, updated, removed, unchanged, still_claimed_total } = done;
    const stays = still_claimed_total === undefined ? {} : { still_claimed_total };
    const counts = { added, updated, removed, unchanged, ...stays, rejected_total: rejected.total };
    this.#deps.emit('operation.done', { operation, caller, subject: counts, effects, report });
    return { ...counts, rejected: rejected.first, ...report };
  }

  reportExpiry(ips: readonly string[], result: ChangeResult, auditRow: number | null): void {
    this.#deps.emit('operation.done', {
      operation: 'expire',
      caller: null,
      subject: { count: ips.length },
      ip_addresses: ips,
      auditRows: auditRow === null ? [] : [auditRow],
      report: this.#report('expiry', result),
    });
  }

  /** What all claims of a removed source were. */
  reportDrop(source: string, done: BulkResult, caller: Caller): DroppedClaims {
    const report = this.#report('remove source', done);
    const { removed } = done;
    const claims_dropped = removed + (done.still_claimed_total ?? 0);
    const subject = { source, removed };
    this.#deps.emit('operation.done', { operation: 'remove_source', caller, subject, report });
    return { claims_dropped, removed, ...report };
  }

  reportDueRelease(source: string, done: BulkResult, auditRows: readonly number[]): void {
    const report = this.#report('release', done);
    const subject = { source, removed: done.removed };
    this.#deps.emit('operation.done', { operation: 'drop_released', caller: null, subject, auditRows, report });
  }

  reportSource(operation: 'set_source' | 'release' | 'keep', source: string, caller: Caller): void {
    this.#deps.emit('operation.done', { operation, caller, subject: { source } });
  }

  reportSync(answer: SyncAnswer, caller: Caller): void {
    this.#deps.emit('operation.done', { operation: 'sync', caller, subject: {}, answer });
  }

  #report(change: string, done: Pick<BulkResult, 'failures' | 'currentFailed'> & Partial<BulkResult>): RuntimeReport {
    const { failures, currentFailed, failuresTotal } = done;
    const scheduled = currentFailed && this.#deps.scheduleReload(`${change}: ${failures[0]?.reason ?? 'not verified'}`);
    return runtimeReport(failures, scheduled, failuresTotal);
  }
}
