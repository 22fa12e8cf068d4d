// What a check says, as a sentence and a tone. Only what holds for all of a network is told of all of it.
import type { CheckAnswer } from '../../api/types.ts';
import type { Tone } from '../../parts/state-mark.tsx';

export const verdicts: Readonly<Record<CheckAnswer['verdict'], string>> = {
  blocked: 'is blocked',
  trusted: 'is trusted, and never turned away',
  allowed: 'is let in',
  partly: 'is blocked in part',
};

/** "No entry covers all of it; 3 blocked entries inside."; null for anything but a network that is blocked in part. */
export function insideWords({ verdict, blocked_inside_total: total = 0 }: CheckAnswer): string | null {
  if (verdict !== 'partly') return null;
  return `No entry covers all of it; ${total.toLocaleString('en')} blocked ${total === 1 ? 'entry' : 'entries'} inside.`;
}

/** What the running proxy says of it; null: it is not asked about a network that is blocked in part. */
export function enforcedWords({ verdict, enforced, workers }: CheckAnswer): { tone: Tone; words: string } | null {
  if (verdict === 'partly') return null;
  if (enforced === null) return { tone: 'unknown', words: 'Not known of the running proxy: no worker could be asked.' };
  if (!enforced) return { tone: 'bad', words: 'The running proxy says otherwise.' };
  const one = workers.length === 1;
  const who = one ? 'The worker' : `All ${workers.length} workers`;
  return { tone: 'good', words: `${who} of the running proxy ${one ? 'says' : 'say'} the same.` };
}
