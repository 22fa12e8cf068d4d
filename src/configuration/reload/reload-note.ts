// What a safe reload notes of itself for a start after a crash.
import { crashPoint } from '../../faults/crash-point.ts';
import { causeText, type Log } from '../../telemetry/log.ts';
import type { ReloadRequest } from './reload-request.ts';
import type { ReloadKind, ReloadUnderWay } from './reload-under-way.ts';

/** Durable on return. */
export async function noteBegun(underWay: ReloadUnderWay, request: ReloadRequest): Promise<void> {
  await underWay.begins(kindOf(request));
  crashPoint('reload.noted');
}

/** What could not be noted costs one reload too many at the next start. */
export async function noteEnded(underWay: ReloadUnderWay, log: Log): Promise<void> {
  try {
    await underWay.ended();
  } catch (error) {
    log.warn('The end of a reload could not be noted', { cause: causeText(error) });
  }
}

export function kindOf({ restore }: ReloadRequest): ReloadKind {
  return restore === undefined ? 'rendered' : 'given';
}
