// Sends what the preview showed, some ten thousand at a time, so that the bar moves and a stop is a stop.

import { parseIp } from '../../../../../src/domain/ip.ts';
import { widenessOf } from '../../../../../src/domain/special-ranges.ts';
import { changeMany, tryMany } from '../../../api/blocked-ips.ts';
import type { ApiClient } from '../../../api/request.ts';
import type { BlockRequest, BulkAnswer } from '../../../api/types.ts';
import { isTooWide } from '../too-wide.ts';
import type { BadLine, NumberedEntry } from './preview.ts';

/** A second or so of the service's work. */
const batchSize = 20_000;
/** As JSON, at most: long reasons fill the service's 16 MiB before so many entries do. */
const batchBytes = 8 * 1024 * 1024;

export interface Common {
  /** For lines that give none; empty: none. */
  readonly reason: string;
  /** For lines that say nothing of it; null: for good. */
  readonly seconds: number | null;
  /** Who blocks, where a line does not say so. */
  readonly blockedBy: string | null;
  /** Takes networks that are wide, or hold a whole special range. */
  readonly allowWide?: boolean;
}

export interface Tally {
  /** Entries that were sent and answered. */
  readonly done: number;
  readonly added: number;
  /** Blocked already, with another reason, source or end now. */
  readonly updated: number;
  readonly unchanged: number;
  /** Refused by the service, such as trusted ones; the first thousand of each batch. */
  readonly rejected: readonly BadLine[];
  readonly rejectedTotal: number;
  /** Of the rejected, networks that are taken only with `allowWide`. */
  readonly tooWide: number;
  /** Of a dry run: the size of the set now, and its limit; null: there is none. */
  readonly room: { readonly total: number; readonly limit: number } | null;
  /** Every worker was seen to have all of it. */
  readonly enforced: boolean;
}

export const nothingYet: Tally = {
  done: 0,
  added: 0,
  updated: 0,
  unchanged: 0,
  rejected: [],
  rejectedTotal: 0,
  tooWide: 0,
  room: null,
  enforced: true,
};

/** `dry`: only counts what would come of it, and changes nothing. */
export interface TransferOptions {
  readonly dry?: boolean;
}

/** Goes on behind what `tally` has. @throws ApiProblem, ApiUnreachable; `onProgress` has had what was done until then */
export async function transfer(
  api: ApiClient,
  entries: readonly NumberedEntry[],
  common: Common,
  from: Tally,
  onProgress: (tally: Tally) => void,
  signal: AbortSignal,
  { dry = false }: TransferOptions = {},
): Promise<void> {
  let tally = from;
  while (tally.done < entries.length && !signal.aborted) {
    const add = nextBatch(entries, tally.done, common);
    // Never given up half-way: what the service was sent, it does, and its answer says what became of it.
    const answer = await (dry ? tryMany(api, { add }, signal) : changeMany(api, { add }));
    tally = added(tally, answer, entries.slice(tally.done, tally.done + add.length), common);
    onProgress(tally);
  }
}

/** The next of them, at least one. */
function nextBatch(entries: readonly NumberedEntry[], from: number, common: Common): BlockRequest[] {
  const batch: BlockRequest[] = [];
  let bytes = 0;
  for (const { entry } of entries.slice(from, from + batchSize)) {
    const request = requestOf(entry, common);
    bytes += bytesOf(request);
    if (bytes > batchBytes && batch.length > 0) break;
    batch.push(request);
  }
  return batch;
}

/** At most, as JSON: a character is up to six bytes (an escape). */
function bytesOf({ ip_address: ip, reason, blocked_by: blockedBy }: BlockRequest): number {
  return 120 + ip.length + 6 * ((reason?.length ?? 0) + (blockedBy?.length ?? 0));
}

export function requestOf(
  entry: NumberedEntry['entry'],
  { reason, seconds, blockedBy, allowWide = false }: Common,
): BlockRequest {
  const why = entry.reason ?? reason;
  const who = entry.blockedBy ?? blockedBy;
  return {
    ip_address: entry.ip,
    ...(why === '' ? {} : { reason: why }),
    ...(who === null ? {} : { blocked_by: who }),
    ...expiryOf(entry, seconds),
    ...(allowWide ? { allow_wide: true } : {}),
  };
}

function expiryOf({ expiry }: NumberedEntry['entry'], seconds: number | null) {
  if (expiry !== undefined) return 'at' in expiry ? { expires_at: expiry.at } : { duration_seconds: expiry.seconds };
  return seconds === null ? {} : { duration_seconds: seconds };
}

function added(tally: Tally, answer: BulkAnswer, batch: readonly NumberedEntry[], { allowWide }: Common): Tally {
  const lines = answer.rejected.map(({ index, value, why }) => ({ line: batch[index ?? 0]?.line ?? 0, value, why }));
  const { current_total: total, limit } = answer;
  return {
    done: tally.done + batch.length,
    added: tally.added + answer.added,
    updated: tally.updated + (answer.updated ?? 0),
    unchanged: tally.unchanged + answer.unchanged,
    tooWide: tally.tooWide + (allowWide === true ? 0 : tooWideIn(answer, batch)),
    room: total === undefined || limit === undefined ? tally.room : { total, limit },
    rejected: [...tally.rejected, ...lines],
    rejectedTotal: tally.rejectedTotal + answer.rejected_total,
    enforced: tally.enforced && answer.runtime_map_updated,
  };
}

/** Rejected for their width; the answer lists only the first thousand of all rejections. */
function tooWideIn(answer: BulkAnswer, batch: readonly NumberedEntry[]): number {
  if (answer.rejected_total <= answer.rejected.length) return answer.rejected.filter(isTooWide).length;
  return batch.filter(({ entry }) => {
    const ip = parseIp(entry.ip);
    return ip.ok && widenessOf(ip.entry) !== null;
  }).length;
}
