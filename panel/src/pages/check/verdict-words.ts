// The result of a check as text. A verdict on a network holds for all of it.

import { counted } from '../../../../src/domain/counted.ts';
import type { CheckAnswer } from '../../api/types.ts';
import type { Tone } from '../../parts/state-mark.tsx';

export const verdicts: Readonly<Record<CheckAnswer['verdict'], string>> = {
  blocked: 'is blocked',
  trusted: 'is trusted (never blocked)',
  allowed: 'is allowed',
  partly: 'is partly blocked',
};

export function insideWords({ verdict, blocked_inside_total: total = 0 }: CheckAnswer): string | null {
  if (verdict !== 'partly') return null;
  return `No entry covers all of it. ${counted(total, 'blocked entry is', 'blocked entries are')} inside.`;
}

/** HAProxy's own verdict; null: not checked for a partly blocked network. */
export function enforcedWords({ verdict, enforced, workers }: CheckAnswer): { tone: Tone; words: string } | null {
  if (verdict === 'partly') return null;
  if (enforced === null) return { tone: 'unknown', words: 'HAProxy was not checked: no worker could be queried.' };
  if (!enforced) return { tone: 'bad', words: 'HAProxy is out of sync with the database.' };
  return {
    tone: 'good',
    words: workers.length === 1 ? 'Verified in HAProxy.' : `Verified in all ${workers.length} HAProxy workers.`,
  };
}
