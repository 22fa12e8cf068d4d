// Whether what is live is what the sites, the settings and the template give, in words.
import type { ConfigurationDrift } from '../../../api/types.ts';
import { counted } from '../../../parts/counted.ts';

export interface DriftWords {
  readonly title: string;
  readonly words: string;
}

/** Null: there is nothing to tell. @param drift undefined: the service has not answered yet; null: it writes no configuration */
export function driftWords(drift: ConfigurationDrift | null | undefined): DriftWords | null {
  if (!drift || drift.status === 'none') return null;
  if (drift.status === 'unknown') {
    const title = 'Whether the live configuration matches the sites and settings is not known';
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
      return `${backup === null ? 'A backup' : `Backup ${backup}`} is in force, and is replaced only when you confirm it.`;
    case 'other':
      return 'It was written or edited outside of proxy-manager, and is replaced only when you confirm it.';
    case 'rendered':
      return 'A setting or the template has changed. A reload applies it.';
    default:
      return 'A reload would change it.';
  }
}
