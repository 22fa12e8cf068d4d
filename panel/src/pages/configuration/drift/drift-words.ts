import { counted } from '../../../../../src/domain/counted.ts';
import type { ConfigurationDrift } from '../../../api/types.ts';

interface DriftWords {
  readonly title: string;
  readonly words: string;
}

/** Null: no drift. @param drift undefined: not known yet; null: attached mode */
export function driftWords(drift: ConfigurationDrift | null | undefined): DriftWords | null {
  if (!drift || drift.status === 'none') return null;
  if (drift.status === 'unknown') {
    const title = 'Could not compare the live configuration with the sites and settings';
    return { title, words: drift.reason ?? '' };
  }
  return { title: `Live configuration differs from the sites and settings${linesOf(drift)}`, words: why(drift) };
}

function linesOf({ added, removed }: ConfigurationDrift): string {
  return added === null || removed === null ? '' : ` (${counted(added, 'line')} to add, ${removed} to remove)`;
}

function why({ live, backup }: ConfigurationDrift): string {
  switch (live) {
    case 'restored':
      return `${backup === null ? 'A backup' : `Backup ${backup}`} is live. It is replaced only after confirmation.`;
    case 'other':
      return 'It was written or edited outside proxy-manager. It is replaced only after confirmation.';
    case 'rendered':
      return 'A setting or the template has changed. A reload applies it.';
    default:
      return 'A reload would change it.';
  }
}
