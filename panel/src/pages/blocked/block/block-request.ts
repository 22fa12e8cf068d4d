// The request of the block dialog. It never uses the browser's clock: durations are sent in seconds, and where the API
// needs a time (a shorter block than before), it is computed from the service's clock.
import type { BlockedIp, BlockRequest } from '../../../api/types.ts';
import type { Duration } from './duration-field.tsx';

/** `extend` keeps the later expiry and what was not entered. `replace` sets everything to the dialog's values. */
export type Intent = 'new' | 'extend' | 'replace' | 'change';

export interface BlockDraft {
  readonly ip: string;
  readonly intent: Intent;
  readonly existing: BlockedIp | null;
  readonly reason: string;
  readonly duration: Duration;
  /** `duration` in seconds; null: permanent or unchanged. */
  readonly seconds: number | null;
  readonly by: string | null;
  /** The service's clock, milliseconds since 1970. */
  readonly now: number;
}

export function blockRequest({ ip, intent, existing, reason, duration, seconds, by, now }: BlockDraft): BlockRequest {
  const typed = reason.trim();
  const given = typed === '' ? {} : { reason: typed };
  const end = seconds === null ? { expires_at: null } : { duration_seconds: seconds };
  const author = by === null ? {} : { blocked_by: by };
  switch (intent) {
    case 'new':
      return { ip_address: ip, ...given, ...author, ...end };
    case 'extend':
      return { ip_address: ip, ...given, ...end };
    case 'replace':
      return { ip_address: ip, reason: typed === '' ? null : typed, ...author, expires_at: expiryTime(seconds, now) };
    case 'change': {
      const kept = existing?.expires_at ?? null;
      const at = duration.choice === 'keep' ? kept : expiryTime(seconds, now);
      return { ip_address: ip, reason: typed === '' ? null : typed, expires_at: at };
    }
  }
}

function expiryTime(seconds: number | null, now: number): string | null {
  return seconds === null ? null : new Date(now + seconds * 1_000).toISOString();
}
