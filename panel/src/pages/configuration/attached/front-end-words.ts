import type { Attached, FrontEnd } from '../../../api/types.ts';
import type { Tone } from '../../../parts/state-mark.tsx';

export function frontEndWords({ has_rule: hasRule, answered_before: before, open }: FrontEnd): {
  readonly tone: Tone;
  readonly words: string;
} {
  if (!hasRule && open) return { tone: 'unknown', words: 'Exempt by a setting' };
  if (!hasRule) {
    return {
      tone: 'bad',
      words: before === null ? 'Served: no rule' : `Served: ${before} comes before the rule`,
    };
  }
  if (before !== null) return { tone: 'warn', words: `Denied, except for what ${before} answers first` };
  return { tone: 'good', words: 'Denied' };
}

/** The setting that exempts one more. */
export function exemption({ front_ends: all }: Pick<Attached, 'front_ends'>, name: string): string {
  const names = new Set([...all.filter(({ open }) => open).map((one) => one.name), name]);
  return `PROXY_MANAGER_OPEN_FRONT_ENDS=${[...names].join(',')}`;
}
