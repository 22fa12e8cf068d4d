// What the dialog that blocks sends. It sets no time by the browser's clock: a length goes as seconds, and where only a
// moment will do (a shorter block than before), it is counted from the service's own time.
import type { BlockedIp, BlockRequest } from '../../../api/types.ts';
import type { Duration } from './duration-field.tsx';

/** `extend`: the later end holds, and what was not typed is kept. `replace`: everything becomes what the dialog shows. */
export type Intent = 'new' | 'extend' | 'replace' | 'change';

export interface BlockDraft {
  readonly ip: string;
  readonly intent: Intent;
  /** The entry that is there already; null: none. */
  readonly existing: BlockedIp | null;
  readonly reason: string;
  readonly duration: Duration;
  /** What `duration` says in seconds; null: permanently, or as it is. */
  readonly seconds: number | null;
  /** Whose key it is. */
  readonly by: string | null;
  /** By the service's clock, milliseconds since 1970. */
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
      return { ip_address: ip, reason: typed === '' ? null : typed, ...author, expires_at: moment(seconds, now) };
    case 'change': {
      const kept = existing?.expires_at ?? null;
      const at = duration.choice === 'keep' ? kept : moment(seconds, now);
      return { ip_address: ip, reason: typed === '' ? null : typed, expires_at: at };
    }
  }
}

function moment(seconds: number | null, now: number): string | null {
  return seconds === null ? null : new Date(now + seconds * 1_000).toISOString();
}
