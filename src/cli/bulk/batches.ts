import { Readable } from 'node:stream';
import type { BlockRequest } from '../../api/blocked-entries.ts';
import type { IpEntry } from '../../domain/ip.ts';
import type { NumberedReading } from '../../lists/reading.ts';
import { type ElementDefaults, readElement, shortest } from './elements.ts';
import type { RejectedLine } from './tally.ts';

/** The API accepts 100,000. Smaller batches show progress earlier and need less memory. */
const maxBatchElements = 25_000;
/** The API accepts 16 MiB. */
const maxBatchBytes = 4 * 1024 * 1024;
/** `{"ip_address":"…"},` and the fixed parts of the other fields. */
const overheadBytes = 120;

export interface Batch {
  readonly elements: readonly (string | BlockRequest)[];
  readonly ips: readonly string[];
  readonly lines: readonly number[];
  readonly rejected: readonly RejectedLine[];
  /** The last line that was read. */
  readonly lastLine: number;
}

interface Limits {
  readonly elements: number;
  readonly bytes: number;
}

export async function* cutBatches(
  readings: AsyncIterable<readonly NumberedReading[]>,
  defaults: ElementDefaults,
  limits: Limits = { elements: maxBatchElements, bytes: maxBatchBytes },
): AsyncGenerator<Batch> {
  const begin = () => ({
    elements: [] as (string | BlockRequest)[],
    ips: [] as string[],
    lines: [] as number[],
    rejected: [] as RejectedLine[],
    lastLine: 0,
  });
  let batch = begin();
  let bytes = 0;
  for await (const group of readings) {
    for (const numbered of group) {
      const reading = readElement(numbered, defaults);
      batch.lastLine = reading.line;
      if (reading.kind === 'bad') batch.rejected.push({ line: reading.line, value: reading.value, why: reading.why });
      if (reading.kind !== 'element') continue;
      const element = shortest(reading.element);
      batch.elements.push(element);
      batch.ips.push(reading.ip);
      batch.lines.push(reading.line);
      bytes += typeof element === 'string' ? element.length + 3 : maxBytesOf(element);
      if (batch.elements.length < limits.elements && bytes < limits.bytes) continue;
      yield batch;
      batch = begin();
      bytes = 0;
    }
  }
  if (batch.lines.length > 0 || batch.rejected.length > 0) yield batch;
}

/** Upper bound: a character of a reason takes up to six bytes (an escape). */
function maxBytesOf({ ip_address: ip, reason, blocked_by: blockedBy = '' }: BlockRequest): number {
  return overheadBytes + ip.length + 6 * ((reason ?? '').length + blockedBy.length);
}

export function typedBatches(entries: readonly IpEntry[], defaults: ElementDefaults): AsyncGenerator<Batch> {
  const readings = entries.map(({ text }, index) => ({
    line: index + 1,
    reading: { kind: 'entry' as const, entry: { ip: text } },
  }));
  return cutBatches(Readable.from([readings]), defaults);
}
