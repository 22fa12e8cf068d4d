import type { FrontEnd } from '../../../api/types.ts';
import type { Tone } from '../../../parts/state-mark.tsx';

/** What a front end does with blocked addresses. */
export function frontEndWords({ has_rule: hasRule, answered_before: before, open }: FrontEnd): {
  readonly tone: Tone;
  readonly words: string;
} {
  if (!hasRule && open) return { tone: 'unknown', words: 'Served on purpose: a setting says so' };
  if (!hasRule) {
    return {
      tone: 'bad',
      words: before === null ? 'Served: it has no rule' : `Served: ${before} comes before its rule`,
    };
  }
  if (before !== null) return { tone: 'warn', words: `Denied, except for what ${before} answers before` };
  return { tone: 'good', words: 'Denied' };
}
