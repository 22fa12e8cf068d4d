import type { ReloadAnswer } from '../api/configuration.ts';
import { span } from './output/times.ts';

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

/** What was not agreed to is not sent: a service that is older than this does not know it. */
export function consentOf(options: Readonly<Record<string, unknown>>): { replace_configuration?: true } {
  return options['replaceConfiguration'] === true ? { replace_configuration: true } : {};
}
