// The meaning of `{ip_address, reason?, blocked_by?, expires_at? or duration_seconds?, force?, allow_wide?}` once its shape is right.
import type { BlockRequest as BlockBody } from '../api/blocked-ips.ts';
import type { BlockRequest, Expiry } from '../blocking/answers.ts';
import { parseIp } from '../domain/ip.ts';
import type { FieldError } from '../errors/service-error.ts';
import { parseFutureTime } from './rfc3339.ts';

export type BlockReading =
  | { readonly ok: true; readonly request: BlockRequest }
  | { readonly ok: false; readonly fields: readonly FieldError[]; readonly badAddress: boolean };

/**
 * @param now `expires_at` must be later
 * @param listed an element of a list: it never shortens a block, and without a time it leaves the end as it is
 */
export function readBlockRequest(body: BlockBody, now: Date, { listed = false } = {}): BlockReading {
  const fields: FieldError[] = [];
  const ip = parseIp(body.ip_address);
  if (!ip.ok) fields.push({ name: 'ip_address', description: ip.why });
  const expiry = readExpiry(body, now, fields, listed);
  if (!ip.ok || fields.length > 0) return { ok: false, fields, badAddress: !ip.ok };
  const { reason, blocked_by: blockedBy, force = false, allow_wide: allowWide } = body;
  return { ok: true, request: { entry: ip.entry, reason, blockedBy, expiry, force, allowWide } };
}

function readExpiry(body: BlockBody, now: Date, fields: FieldError[], listed: boolean): Expiry {
  const { expires_at: at, duration_seconds: seconds } = body;
  if (typeof at === 'string' && seconds !== undefined) {
    const description = 'expires_at and duration_seconds exclude each other; give one of them';
    fields.push({ name: 'expires_at', description }, { name: 'duration_seconds', description });
  } else if (seconds !== undefined) {
    return { kind: 'duration', seconds };
  } else if (typeof at === 'string') {
    const time = parseFutureTime(at, now);
    if (time.ok) return { kind: listed ? 'not-before' : 'at', at: time.value };
    fields.push({ name: 'expires_at', description: time.why });
  }
  return { kind: listed && at === undefined ? 'keep' : 'permanent' };
}
