// The log lines of operations: one each, preceded by another if every worker was read back.
import type { Log } from '../telemetry/log.ts';
import type { DoneOperation, EntryEffect, FactListener } from './facts.ts';

const loggedAddresses = 20;

export function operationLog(log: Log): FactListener {
  return ({ type, data }) => {
    if (type === 'operation.done') logDone(log, data);
  };
}

function logDone(log: Log, done: DoneOperation): void {
  const { operation, caller, subject } = done;
  const by = caller === null ? {} : { key: caller.keyName, request_id: caller.requestId };
  const fields = { operation, ...subject, ...by };
  if (isReadBack(done)) log.info('Runtime map updated', fields);
  log.info('Operation done', { ...fields, ...resultOf(done) });
}

function isReadBack(done: DoneOperation): boolean {
  if (done.operation === 'sync') return done.answer.runtime_map_synced;
  if (!('report' in done) || !done.report.runtime_map_updated) return false;
  // Other claims keep the address blocked: nothing was sent.
  if (done.operation === 'unblock' && done.effects.some(isStillClaimed)) return false;
  if (done.operation === 'remove_source' || done.operation === 'drop_released') return done.subject.removed > 0;
  if (!('rejected_total' in done.subject)) return true;
  const { added, updated, removed, unchanged } = done.subject;
  return added + updated + removed + unchanged > 0;
}

function isStillClaimed(effect: EntryEffect): boolean {
  return effect.op !== 'add' && effect.stillClaimedBy !== undefined;
}

function resultOf(done: DoneOperation): object {
  if (done.operation === 'sync') return done.answer;
  if (done.operation === 'expire') {
    return { ip_addresses: done.ip_addresses.slice(0, loggedAddresses), ...done.report };
  }
  if ('report' in done) return done.report;
  if ('runtime_updated' in done) return { runtime_updated: done.runtime_updated };
  return 'reload' in done ? { reload: done.reload } : {};
}
