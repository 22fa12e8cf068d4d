// Sends what the preview showed, some ten thousand at a time, so that the bar moves and a stop is a stop.
import { changeMany } from '../../../api/blocked-ips.ts';
import type { ApiClient } from '../../../api/request.ts';
import type { BlockRequest, BulkAnswer } from '../../../api/types.ts';
import type { BadLine, NumberedEntry } from './preview.ts';

/** A second or so of the service's work. */
const batchSize = 20_000;

export interface Common {
  /** For lines that give none; empty: none. */
  readonly reason: string;
  /** For lines that say nothing of it; null: for good. */
  readonly seconds: number | null;
  /** Who blocks, where a line does not say so. */
  readonly blockedBy: string | null;
}

export interface Tally {
  /** Entries that were sent and answered. */
  readonly done: number;
  readonly added: number;
  readonly unchanged: number;
  /** Refused by the service, such as trusted ones; the first thousand of each batch. */
  readonly rejected: readonly BadLine[];
  readonly rejectedTotal: number;
  /** Every worker was seen to have all of it. */
  readonly enforced: boolean;
}

export const nothingYet: Tally = { done: 0, added: 0, unchanged: 0, rejected: [], rejectedTotal: 0, enforced: true };

/** Goes on behind what `tally` has. @throws ApiProblem, ApiUnreachable; `onProgress` has had what was done until then */
export async function transfer(
  api: ApiClient,
  entries: readonly NumberedEntry[],
  common: Common,
  from: Tally,
  onProgress: (tally: Tally) => void,
  signal: AbortSignal,
): Promise<void> {
  let tally = from;
  while (tally.done < entries.length && !signal.aborted) {
    const batch = entries.slice(tally.done, tally.done + batchSize);
    // Never given up half-way: what the service was sent, it does, and its answer says what became of it.
    const answer = await changeMany(api, { add: batch.map(({ entry }) => requestOf(entry, common)) });
    tally = added(tally, answer, batch);
    onProgress(tally);
  }
}

export function requestOf(entry: NumberedEntry['entry'], { reason, seconds, blockedBy }: Common): BlockRequest {
  const why = entry.reason ?? reason;
  const who = entry.blockedBy ?? blockedBy;
  return {
    ip_address: entry.ip,
    ...(why === '' ? {} : { reason: why }),
    ...(who === null ? {} : { blocked_by: who }),
    ...expiryOf(entry, seconds),
  };
}

function expiryOf({ expiry }: NumberedEntry['entry'], seconds: number | null) {
  if (expiry !== undefined) return 'at' in expiry ? { expires_at: expiry.at } : { duration_seconds: expiry.seconds };
  return seconds === null ? {} : { duration_seconds: seconds };
}

function added(tally: Tally, answer: BulkAnswer, batch: readonly NumberedEntry[]): Tally {
  const lines = answer.rejected.map(({ index, value, why }) => ({ line: batch[index ?? 0]?.line ?? 0, value, why }));
  return {
    done: tally.done + batch.length,
    added: tally.added + answer.added,
    unchanged: tally.unchanged + answer.unchanged,
    rejected: [...tally.rejected, ...lines],
    rejectedTotal: tally.rejectedTotal + answer.rejected_total,
    enforced: tally.enforced && answer.runtime_map_updated,
  };
}
