// What came of a change of the blocked set, told to whom it concerns: the answer's four fields, the log, the listeners
// of events, and the reload that follows where the current worker was not seen to be right.

import type { BulkAnswer, Rejection, SyncAnswer } from '../../api/blocked-ips-bulk.ts';
import type { RuntimeReport } from '../../api/changes.ts';
import { type Tell, tellNobody } from '../../events/facts.ts';
import type { BlockedEffect } from '../../store/blocked-ips-store.ts';
import type { Log } from '../../telemetry/log.ts';
import type { Caller, ChangeCounts } from '../answers.ts';
import type { BulkResult } from '../bulk/bulk-runner.ts';
import type { ChangeResult } from './group-writer.ts';
import { runtimeReport } from './runtime-report.ts';

/** More at once are told as one event with counts: a reader of events has room for some thousands. */
const toldOneByOne = 100;

export class Outcomes {
  readonly #scheduleReload: (reason: string) => boolean;
  readonly #log: Log;
  readonly #tell: Tell;

  constructor(options: {
    /** False: no reload of this configuration could enforce anything, so none is scheduled. */
    readonly scheduleReload: (reason: string) => boolean;
    readonly log: Log;
    readonly tell?: Tell | undefined;
  }) {
    this.#scheduleReload = options.scheduleReload;
    this.#log = options.log;
    this.#tell = options.tell ?? tellNobody;
  }

  /** Of one address. */
  one(operation: 'block' | 'unblock', ip: string, result: ChangeResult, caller: Caller): RuntimeReport {
    const scheduled = result.currentFailed && this.#scheduleReload(`${operation} ${ip}: ${result.failures[0]?.reason}`);
    const report = runtimeReport(result.failures, scheduled);
    const fields = { operation, ip_address: ip, key: caller.keyName, request_id: caller.requestId };
    if (report.runtime_map_updated) this.#log.info('Runtime map updated', fields);
    this.#log.info('Operation done', { ...fields, ...report });
    this.#tellEffects(result.effects, report, caller.keyName);
    return report;
  }

  /**
   * Of many.
   * @param rejected the first of them
   * @param effects what was done to each; absent where it was only counted
   */
  many(
    operation: 'batch' | 'replace',
    done: BulkResult,
    rejected: { readonly total: number; readonly first: readonly Rejection[] },
    caller: Caller,
    effects?: readonly BlockedEffect[],
  ): BulkAnswer {
    const scheduled =
      done.currentFailed && this.#scheduleReload(`${operation}: ${done.failures[0]?.reason ?? 'not verified'}`);
    const report = runtimeReport(done.failures, scheduled, done.failuresTotal);
    const { added, updated, removed, unchanged } = done;
    const counts = { added, updated, removed, unchanged, rejected_total: rejected.total };
    const fields = { operation, ...counts, key: caller.keyName, request_id: caller.requestId };
    // Where nothing was accepted nothing was read back either.
    const asked = added + updated + removed + unchanged > 0;
    if (report.runtime_map_updated && asked) this.#log.info('Runtime map updated', fields);
    this.#log.info('Operation done', { ...fields, ...report });
    if (effects !== undefined && effects.length <= toldOneByOne) this.#tellEffects(effects, report, caller.keyName);
    else this.#tellCounts(operation, counts, report, caller.keyName);
    return { ...counts, rejected: rejected.first, ...report };
  }

  /** Of a group of entries that expired. */
  expired(ips: readonly string[], result: ChangeResult): RuntimeReport {
    const scheduled = result.currentFailed && this.#scheduleReload(`expiry: ${result.failures[0]?.reason}`);
    const report = runtimeReport(result.failures, scheduled);
    if (report.runtime_map_updated) this.#log.info('Runtime map updated', { operation: 'expire', count: ips.length });
    this.#log.info('Operation done', {
      operation: 'expire',
      count: ips.length,
      ip_addresses: ips.slice(0, 20),
      ...report,
    });
    if (ips.length > toldOneByOne) {
      this.#tellCounts('expire', { added: 0, updated: 0, removed: ips.length, unchanged: 0 }, report, null);
    } else {
      const { runtime_map_updated } = report;
      for (const ip_address of ips) this.#tell('entry.expired', { ip_address, runtime_map_updated });
    }
    return report;
  }

  synchronised(answer: SyncAnswer, caller: Caller): void {
    if (answer.runtime_map_synced)
      this.#log.info('Runtime map updated', { operation: 'sync', request_id: caller.requestId });
    this.#log.info('Operation done', {
      operation: 'sync',
      key: caller.keyName,
      request_id: caller.requestId,
      ...answer,
    });
    const { runtime_map_synced, total_ips, added, removed, reload_scheduled, duration_ms } = answer;
    const counts = { runtime_map_synced, total_ips, added, removed, reload_scheduled, duration_ms };
    this.#tell('sync.done', { ...counts, by: caller.keyName });
  }

  #tellEffects(effects: readonly BlockedEffect[], { runtime_map_updated }: RuntimeReport, by: string): void {
    for (const effect of effects) {
      if (effect.op === 'add') {
        const { ip_address, reason, blocked_by, expires_at } = effect.row;
        const { created } = effect;
        this.#tell('entry.blocked', { ip_address, created, reason, blocked_by, expires_at, by, runtime_map_updated });
      } else if (effect.removed !== null) {
        this.#tell('entry.unblocked', { ip_address: effect.removed.ip_address, by, runtime_map_updated });
      }
    }
  }

  #tellCounts(
    operation: 'batch' | 'replace' | 'expire',
    { added, updated, removed, unchanged }: ChangeCounts,
    { runtime_map_updated }: RuntimeReport,
    by: string | null,
  ): void {
    this.#tell('entries.changed', { operation, added, updated, removed, unchanged, by, runtime_map_updated });
  }
}
