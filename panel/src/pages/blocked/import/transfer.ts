import { parseIp } from '../../../../../src/domain/ip.ts';
import { widenessOf } from '../../../../../src/domain/special-ranges.ts';
import { type CdnEntries, sumByCdn } from '../../../../../src/domain/upstream-presets.ts';
import { changeMany, isTooWide, tryMany } from '../../../api/blocked-ips.ts';
import type { ApiClient } from '../../../api/request.ts';
import type { BlockRequest, BulkAnswer } from '../../../api/types.ts';
import type { BadLine, NumberedEntry } from './preview.ts';

/** About a second of the service's work. */
const batchSize = 20_000;
/** Upper bound as JSON: with long reasons, a full batch would exceed the service's 16 MiB. */
const batchBytes = 8 * 1024 * 1024;

export interface Common {
  readonly reason: string;
  /** Default duration; null: permanent. */
  readonly seconds: number | null;
  /** Includes networks that are wide or contain a special range. */
  readonly allowWide?: boolean;
}

export interface Tally {
  readonly done: number;
  readonly added: number;
  readonly updated: number;
  readonly unchanged: number;
  /** Rejected by the service, such as trusted addresses; the first thousand of each batch. */
  readonly rejected: readonly BadLine[];
  readonly rejectedTotal: number;
  readonly tooWide: number;
  /** Of a dry run: the current number of entries and the limit; null: unknown or no limit. */
  readonly room: { readonly total: number; readonly limit: number } | null;
  readonly enforced: boolean;
  readonly knownCdns: readonly CdnEntries[];
}

export const emptyTally: Tally = {
  done: 0,
  added: 0,
  updated: 0,
  unchanged: 0,
  rejected: [],
  rejectedTotal: 0,
  tooWide: 0,
  room: null,
  enforced: true,
  knownCdns: [],
};

interface TransferOptions {
  readonly dry?: boolean;
}

/** Continues after the entries in `from`. @throws ApiProblem, ApiUnreachable after reporting its progress */
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
    // Not abortable: the service applies a batch that it received, and only its response has the result.
    const answer = await (dry ? tryMany(api, { add }, signal) : changeMany(api, { add }));
    tally = added(tally, answer, entries.slice(tally.done, tally.done + add.length), common);
    onProgress(tally);
  }
}

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

/** Upper bound as JSON: an escaped character has up to six bytes. */
function bytesOf({ ip_address: ip, reason, blocked_by: blockedBy }: BlockRequest): number {
  return 120 + ip.length + 6 * ((reason?.length ?? 0) + (blockedBy?.length ?? 0));
}

export function requestOf(entry: NumberedEntry['entry'], { reason, seconds, allowWide = false }: Common): BlockRequest {
  const why = entry.reason ?? reason;
  return {
    ip_address: entry.ip,
    ...(why === '' ? {} : { reason: why }),
    // Without an author the service keeps that of an entry, and names the key as that of a new one.
    ...(entry.blockedBy === undefined ? {} : { blocked_by: entry.blockedBy }),
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
    knownCdns: sumByCdn([...tally.knownCdns, ...(answer.known_cdns ?? [])]),
  };
}

/** Networks rejected for their width. The response lists only the first thousand rejections. */
function tooWideIn(answer: BulkAnswer, batch: readonly NumberedEntry[]): number {
  if (answer.rejected_total <= answer.rejected.length) return answer.rejected.filter(isTooWide).length;
  return batch.filter(({ entry }) => {
    const ip = parseIp(entry.ip);
    return ip.ok && widenessOf(ip.entry) !== null;
  }).length;
}
