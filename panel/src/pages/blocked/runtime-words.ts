import { hasNoEffect, unusedTrustedMap } from '../../../../src/domain/trust-effect.ts';
import type { RuntimeReport } from '../../api/types.ts';
import type { Tone } from '../../parts/state-mark.tsx';

export function runtimeWords(report: RuntimeReport): { readonly tone: Tone; readonly words: string } {
  if (report.runtime_map_updated) return { tone: 'good', words: 'Active in every worker.' };
  if (hasNoEffect(report)) return { tone: 'warn', words: `Saved, but ${unusedTrustedMap}.` };
  const follows = report.reload_scheduled
    ? 'A scheduled reload will apply it.'
    : 'The service retries automatically; the overview shows the state.';
  const [first] = report.runtime_map_failures;
  const why = first === undefined ? '' : ` (${first.reason})`;
  return {
    tone: 'warn',
    words: `Saved, but not verified in every worker${why}. ${follows}`,
  };
}
