import type { BlockRequest } from '../../api/blocked-entries.ts';
import { parseIp } from '../../domain/ip.ts';
import { NotAList } from '../../lists/lines.ts';
import type { LineReading, ListEntry, ListExpiry, NumberedReading } from '../../lists/reading.ts';
import { coveredOwnAddress, type OwnAddress } from '../connection/own-addresses.ts';
import { expiryFields } from '../expiry-options.ts';
import { Failure } from '../failure.ts';

/** For lines without values of their own. */
export interface ElementDefaults {
  readonly reason: string | undefined;
  readonly expiry: ListExpiry | null;
  /** A line without an expiry makes the block permanent; default: an existing block keeps its expiry. */
  readonly permanent?: boolean;
  readonly evenTrusted: boolean;
  readonly allowWide: boolean;
  /** Only the lines of this source count. `rejects`: and those that cannot be read. */
  readonly only?: { readonly source: string; readonly rejects: boolean };
  /** Numbers of lines that do not count. */
  readonly ignored?: ReadonlySet<number>;
  /** An entry that covers one of these is rejected. */
  readonly own: readonly OwnAddress[];
}

type ElementReading =
  | { readonly kind: 'element'; readonly line: number; readonly ip: string; readonly element: BlockRequest }
  | { readonly kind: 'nothing'; readonly line: number }
  | { readonly kind: 'bad'; readonly line: number; readonly value: string; readonly why: string };

export function readElement({ line, reading }: NumberedReading, defaults: ElementDefaults): ElementReading {
  if (reading.kind === 'nothing' || defaults.ignored?.has(line) === true) return { kind: 'nothing', line };
  const { only } = defaults;
  if (only !== undefined && !counts(reading, only)) return { kind: 'nothing', line };
  if (reading.kind === 'bad') return { kind: 'bad', line, value: reading.value, why: reading.why };
  const { entry } = reading;
  const own = ownAddressIn(entry.ip, defaults.own);
  if (own !== null) {
    const why = `it covers ${own.entry.text}, ${own.what}; to block it anyway, add --force`;
    return { kind: 'bad', line, value: entry.ip, why };
  }
  return { kind: 'element', line, ip: entry.ip, element: elementOf(entry, defaults) };
}

function counts(reading: LineReading, { source, rejects }: NonNullable<ElementDefaults['only']>): boolean {
  return reading.kind === 'entry' ? reading.entry.source === source : rejects;
}

function ownAddressIn(ip: string, own: readonly OwnAddress[]): OwnAddress | null {
  if (own.length === 0) return null;
  const parsed = parseIp(ip);
  return parsed.ok ? coveredOwnAddress(parsed.entry, own) : null;
}

function elementOf(entry: ListEntry, defaults: ElementDefaults): BlockRequest {
  const reason = entry.reason ?? defaults.reason;
  const expiry = entry.expiry ?? defaults.expiry;
  return {
    ip_address: entry.ip,
    ...(reason !== undefined && { reason }),
    ...(entry.blockedBy !== undefined && { blocked_by: entry.blockedBy }),
    ...(expiry === null && defaults.permanent === true ? { expires_at: null } : expiryFields(expiry)),
    ...(defaults.evenTrusted && { force: true }),
  };
}

/** A bare address takes a third of the bytes. */
export function shortest(element: BlockRequest): string | BlockRequest {
  return Object.keys(element).length === 1 ? element.ip_address : element;
}

export function withSourceName(name: string, error: unknown): unknown {
  return error instanceof NotAList ? new Failure(`${name} ${error.message}`) : error;
}
