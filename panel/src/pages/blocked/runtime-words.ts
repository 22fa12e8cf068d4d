// What the service saw at the workers after a change, in one sentence. Only what was seen is told as done.
import { hasNoEffect, unusedTrustedMap } from '../../../../src/domain/trust-effect.ts';
import type { RuntimeReport } from '../../api/types.ts';
import type { Tone } from '../../parts/state-mark.tsx';

export function runtimeWords(report: RuntimeReport): { readonly tone: Tone; readonly words: string } {
  if (report.runtime_map_updated) return { tone: 'good', words: 'Every worker of the proxy was seen to have it.' };
  if (hasNoEffect(report)) return { tone: 'warn', words: `It is saved, but ${unusedTrustedMap}.` };
  const follows = report.reload_scheduled
    ? 'A reload follows by itself and enforces it.'
    : 'It is tried again by itself; the overview says when it is enforced.';
  const [first] = report.runtime_map_failures;
  const why = first === undefined ? '' : ` (${first.reason})`;
  return {
    tone: 'warn',
    words: `It is saved, but not every worker of the proxy was seen to have it${why}. ${follows}`,
  };
}
