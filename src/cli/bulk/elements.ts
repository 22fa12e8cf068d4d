// A line of a list as the API takes it.

import type { BlockRequest } from '../../api/blocked-ips.ts';
import { parseIp } from '../../domain/ip.ts';
import { NotAList } from '../../lists/lines.ts';
import type { ListEntry, ListExpiry, NumberedReading } from '../../lists/reading.ts';
import { type OwnAddress, takenIn } from '../connection/own-addresses.ts';
import { expiryFields } from '../expiry-options.ts';
import { Failure } from '../failure.ts';

/** What the command line says for lines that say nothing of it themselves. */
export interface ElementDefaults {
  readonly reason: string | undefined;
  readonly expiry: ListExpiry | null;
  /** Without a time of its own a block is for good, also where it had an end; default: it keeps the end that it has. */
  readonly forGood?: boolean;
  /** Block what is covered by trust too. */
  readonly evenTrusted: boolean;
  /** Block wide networks too. */
  readonly allowWide: boolean;
  /** Entries that would take in one of these are refused; empty: none is. */
  readonly own: readonly OwnAddress[];
}

export type ElementReading =
  | { readonly kind: 'element'; readonly line: number; readonly ip: string; readonly element: BlockRequest }
  | { readonly kind: 'nothing'; readonly line: number }
  | { readonly kind: 'bad'; readonly line: number; readonly value: string; readonly why: string };

export function readElement({ line, reading }: NumberedReading, defaults: ElementDefaults): ElementReading {
  if (reading.kind === 'nothing') return { kind: 'nothing', line };
  if (reading.kind === 'bad') return { kind: 'bad', line, value: reading.value, why: reading.why };
  const { entry } = reading;
  const own = ownAddressIn(entry.ip, defaults.own);
  if (own !== null) {
    const why = `it holds ${own.entry.text}, ${own.what}; --force blocks it all the same`;
    return { kind: 'bad', line, value: entry.ip, why };
  }
  return { kind: 'element', line, ip: entry.ip, element: elementOf(entry, defaults) };
}

export function ownAddressIn(ip: string, own: readonly OwnAddress[]): OwnAddress | null {
  if (own.length === 0) return null;
  const parsed = parseIp(ip);
  return parsed.ok ? takenIn(parsed.entry, own) : null;
}

function elementOf(entry: ListEntry, defaults: ElementDefaults): BlockRequest {
  const reason = entry.reason ?? defaults.reason;
  const expiry = entry.expiry ?? defaults.expiry;
  return {
    ip_address: entry.ip,
    ...(reason !== undefined && { reason }),
    ...(entry.blockedBy !== undefined && { blocked_by: entry.blockedBy }),
    ...(expiry === null && defaults.forGood === true ? { expires_at: null } : expiryFields(expiry)),
    ...(defaults.evenTrusted && { force: true }),
  };
}

/** Bare addresses are a third of the bytes. */
export function shortest(element: BlockRequest): string | BlockRequest {
  return Object.keys(element).length === 1 ? element.ip_address : element;
}

/** What is left of a list that was none. */
export function notAListFailure(name: string, error: unknown): unknown {
  return error instanceof NotAList ? new Failure(`${name} ${error.message}`) : error;
}
