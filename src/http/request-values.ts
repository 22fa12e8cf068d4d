import type { BlockRequest } from '../api/blocked-entries.ts';
import type { Expiry, RequestedBlock } from '../blocking/blocked-set-service.ts';
import type { ReplaceConsent } from '../configuration/reload/replace-consent.ts';
import { parseDuration } from '../domain/duration.ts';
import { type IpEntry, parseIp } from '../domain/ip.ts';
import type { Parsed } from '../domain/parsed.ts';
import { parseFutureTime } from '../domain/rfc3339.ts';
import { parseDomain } from '../domain/site.ts';
import { codes } from '../errors/catalogue.ts';
import type { FieldError } from '../errors/service-error.ts';
import { invalidAddress, rejectedFields } from './rejections.ts';

/** Decodes a path or query (`10.0.0.0%2F8`). Errors: 101. */
export function pathAddress(text: string): IpEntry {
  const ip = parseIp(text);
  if (!ip.ok) throw invalidAddress(ip.why);
  return ip.entry;
}

/** In lower case. Errors: 105. */
export function pathDomain(text: string): string {
  const domain = parseDomain(text);
  if (!domain.ok) throw rejectedFields([{ name: 'domain', description: domain.why }], codes.InvalidDomain);
  return domain.value;
}

/** Errors: 104. */
export function validTime(name: string, time: Parsed<Date>): Date {
  if (!time.ok) throw rejectedFields([{ name, description: time.why }], codes.InvalidTime);
  return time.value;
}

/** In seconds. Errors: 104. */
export function validDuration(name: string, text: string): number {
  const duration = parseDuration(text);
  if (!duration.ok) throw rejectedFields([{ name, description: duration.why }], codes.InvalidTime);
  return duration.value;
}

export function consentOf(query: { readonly replace_configuration?: boolean }): ReplaceConsent {
  return { replace: query.replace_configuration === true };
}

export const bothTimes: readonly FieldError[] = ['expires_at', 'duration_seconds'].map((name) => ({
  name,
  description: 'send either expires_at or duration_seconds, not both',
}));

type BlockReading =
  | { readonly ok: true; readonly request: RequestedBlock }
  | { readonly ok: false; readonly fields: readonly FieldError[]; readonly badAddress: boolean };

/**
 * @param now `expires_at` must be later
 * @param listed a list element never shortens a block, and keeps the expiry without a time
 */
export function readBlockRequest(body: BlockRequest, now: Date, { listed = false } = {}): BlockReading {
  const fields: FieldError[] = [];
  const ip = parseIp(body.ip_address);
  if (!ip.ok) fields.push({ name: 'ip_address', description: ip.why });
  const expiry = readExpiry(body, now, fields, listed);
  if (!ip.ok || fields.length > 0) return { ok: false, fields, badAddress: !ip.ok };
  const { reason, blocked_by: blockedBy, force = false, allow_wide: allowWide } = body;
  return { ok: true, request: { entry: ip.entry, reason, blockedBy, expiry, force, allowWide } };
}

function readExpiry(body: BlockRequest, now: Date, fields: FieldError[], listed: boolean): Expiry {
  const { expires_at: at, duration_seconds: seconds } = body;
  if (typeof at === 'string' && seconds !== undefined) {
    fields.push(...bothTimes);
  } else if (seconds !== undefined) {
    return { kind: 'duration', seconds };
  } else if (typeof at === 'string') {
    const time = parseFutureTime(at, now);
    if (time.ok) return { kind: listed ? 'not-before' : 'at', at: time.value };
    fields.push({ name: 'expires_at', description: time.why });
  }
  return { kind: listed && at === undefined ? 'keep' : 'permanent' };
}
