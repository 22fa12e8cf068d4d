// A list cut into pieces that the API takes at once.

import type { BlockRequest } from '../../api/blocked-ips.ts';
import type { NumberedReading } from '../../lists/reading.ts';
import { type ElementDefaults, readElement, shortest } from './elements.ts';
import type { RejectedLine } from './tally.ts';

/** The API takes 100,000. Fewer are told of sooner, and less of the list is in memory. */
const mostInBatch = 25_000;
/** The API takes 16 MiB. */
const mostBytes = 4 * 1024 * 1024;
/** `{"ip_address":"…"},` and the names of what else may stand there. */
const bytesBeside = 120;

export interface Batch {
  readonly elements: readonly (string | BlockRequest)[];
  readonly ips: readonly string[];
  /** The line of each element. */
  readonly lines: readonly number[];
  /** What was bad between the batch before and this one. */
  readonly rejected: readonly RejectedLine[];
  /** The last line that was looked at. */
  readonly lastLine: number;
}

interface Limits {
  readonly elements: number;
  readonly bytes: number;
}

export async function* cutBatches(
  readings: AsyncIterable<readonly NumberedReading[]>,
  defaults: ElementDefaults,
  limits: Limits = { elements: mostInBatch, bytes: mostBytes },
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
      bytes += typeof element === 'string' ? element.length + 3 : bytesOf(element);
      if (batch.elements.length < limits.elements && bytes < limits.bytes) continue;
      yield batch;
      batch = begin();
      bytes = 0;
    }
  }
  if (batch.lines.length > 0 || batch.rejected.length > 0) yield batch;
}

/** At most, as JSON: a character of a reason is up to six bytes (an escape). */
function bytesOf({ ip_address: ip, reason, blocked_by: blockedBy = '' }: BlockRequest): number {
  return bytesBeside + ip.length + 6 * ((reason ?? '').length + blockedBy.length);
}
