import type { ReloadAnswer } from '../api/configuration.ts';
import { span } from './output/times.ts';
import type { Options } from './verb.ts';

export const replaceHelp =
  'also replace a live configuration that was edited by hand or restored; it is kept as a backup';

export function reloadLines(answer: ReloadAnswer): string[] {
  const { worker_before: before, worker_after: after } = answer;
  const workers = before === null ? `worker ${after} is running` : `worker ${after} took over from ${before}`;
  const changed = answer.changed ? 'with a changed configuration' : 'with an unchanged configuration';
  const lines = [`reloaded ${changed}: ${workers} (${span(answer.duration_ms / 1000)}, ${answer.id})`];
  if (answer.backup !== null) lines.push(`the previous configuration is backup ${answer.backup}`);
  return [...lines, ...answer.warnings.map((warning) => `warning: ${warning}`)];
}

/** Sent only with consent: an older service does not know the parameter. */
export function consentOf(options: Options): { replace_configuration?: true } {
  return options['replaceConfiguration'] === true ? { replace_configuration: true } : {};
}
