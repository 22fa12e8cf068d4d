import { span } from './output/times.ts';
import type { ReloadAnswer } from './service-api.ts';

/** Of the option of every verb that reloads. */
export const replaceHelp = 'also where the live configuration was edited by hand or restored; it is kept as a backup';

/** What a safe reload did; its warnings are HAProxy's own words. */
export function reloadLines(answer: ReloadAnswer): string[] {
  const { worker_before: before, worker_after: after } = answer;
  const workers = before === null ? `worker ${after} runs` : `worker ${after} took over from ${before}`;
  const changed = answer.changed ? 'with a changed configuration' : 'with the configuration as it was';
  const lines = [`reloaded ${changed}: ${workers} (${span(answer.duration_ms / 1000)}, ${answer.id})`];
  if (answer.backup !== null) lines.push(`the one before is backup ${answer.backup}`);
  return [...lines, ...answer.warnings.map((warning) => `warning: ${warning}`)];
}
