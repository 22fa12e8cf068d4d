// `config`: the settings, and the proxy's configuration: what would change, whether it is valid, the one before.

import type { Backup, ReloadRecord, ValidationAnswer } from '../../api/configuration.ts';
import { type ExitCode, exitCodes } from '../failure.ts';
import type { Style } from '../output/colour.ts';
import { harmlessLines } from '../output/harmless.ts';
import { counted, fromNow } from '../output/times.ts';
import { reloadLines } from '../reload-text.ts';
import type { Session } from '../session.ts';
import { Verb, wholeNumber } from '../verb.ts';

export function configVerbs(): { group: Verb; verbs: Readonly<Record<ConfigVerb, Verb>> } {
  const group = new Verb('config', "the settings, and the proxy's configuration");
  const verbs = {
    show: new Verb('show', 'the settings that a service started here would have, secrets masked')
      .example('config show', 'what is in effect')
      .example('config show --supervise true', 'with a flag of serve') as Verb,
    template: new Verb('template', 'write the built-in template, to begin one of your own from; asks no service')
      .argument('[file]', 'a new file; standard output unless given')
      .example(
        'config template /etc/proxy-manager/proxy.cfg.liquid',
        'then edit it, and name it in PROXY_MANAGER_TEMPLATE',
      )
      .example('config template', 'to look at') as Verb,
    validate: new Verb(
      'validate',
      'let HAProxy check what a reload would use; nothing that is live is touched',
    ).example('config validate', 'exits 1 where it is refused') as Verb,
    diff: new Verb('diff', 'what a reload, or the restore of a backup, would change in the live configuration')
      .argument('[backup]', 'of config backups')
      .example('config diff', 'nothing is printed where nothing would change')
      .example('config diff 20261121T201500123Z-0a1b2c3d', 'look before config restore') as Verb,
    backups: new Verb('backups', 'the backup sets, newest first').example('config backups', 'ids for restore') as Verb,
    reloads: new Verb('reloads', 'the history of reloads, newest first')
      .option('-n, --limit <count>', 'at most so many', '20')
      .example('config reloads -n 5', 'the last five, and why each was') as Verb,
    restore: new Verb('restore', 'bring a backup of the configuration back, by a safe reload; the blocked set stays')
      .argument('<id>', 'of config backups')
      .example('config restore 20261121T201500123Z-0a1b2c3d', 'as config backups lists it') as Verb,
  };
  for (const verb of Object.values(verbs)) group.addCommand(verb);
  return { group, verbs };
}

type ConfigVerb = 'show' | 'template' | 'validate' | 'diff' | 'backups' | 'reloads' | 'restore';

export async function validateConfig({ api, output, format }: Session): Promise<ExitCode> {
  const { data: answer } = await api.POST('/api/config/validate');
  if (format === 'json') await output.json(answer);
  else {
    await output.lines(validationLines(answer).map(harmlessLines));
  }
  return answer.valid ? exitCodes.done : exitCodes.failed;
}

const needsConsent =
  'the live configuration was edited by hand or restored: a reload needs --replace-configuration to replace it';

/** A dry run says that it was one: who reads `refused` wants to know what is in force now. */
export function validationLines(answer: ValidationAnswer): string[] {
  const { valid, output, sha256, warnings } = answer;
  const said = output.trim() === '' ? [] : [output.trim()];
  const asks = answer.needs_replace_configuration ? [needsConsent] : [];
  if (valid) {
    const verdict = warnings.length === 0 ? 'valid' : `valid, with ${counted(warnings.length, 'warning')}`;
    const told = warnings.map((warning) => `warning: ${warning}`);
    return [`${verdict}: a reload would be taken`, ...told, ...asks, ...said];
  }
  const lines = ['not valid: a reload would be refused; nothing was changed', ...said];
  // HAProxy counts lines in what was rendered, which is in no file; of the template its engine names the line.
  return sha256 === '' ? lines : [...lines, 'lines are those of the rendered configuration: proxy-manager config diff'];
}

export async function diffConfig(
  { api, output, format }: Session,
  [backup]: readonly string[] = [],
): Promise<ExitCode> {
  const query = backup === undefined ? {} : { backup };
  const { data: answer } = await api.GET('/api/config/diff', { params: { query } });
  if (format === 'json') await output.json(answer);
  else if (answer.changed) {
    const lines = harmlessLines(answer.diff.replace(/\n$/, '')).split('\n');
    await output.lines(lines.map((line) => paintDiff(line, output.paint)));
  } else if (output.isTerminal)
    output.remark(`${backup === undefined ? 'a reload' : 'its restore'} would change nothing`);
  return exitCodes.done;
}

function paintDiff(line: string, paint: (style: Style, text: string) => string): string {
  if (line.startsWith('+')) return paint('good', line);
  return line.startsWith('-') ? paint('trouble', line) : line;
}

export async function listBackups({ api, output, format, now }: Session): Promise<ExitCode> {
  const { data: answer } = await api.GET('/api/config/backups');
  if (format === 'json') await output.json(answer);
  else {
    await output.rows<Backup>([
      { title: 'ID', text: ({ id }) => id },
      {
        title: 'MADE',
        text: ({ created_at: made }) => fromNow(made, now()),
        plain: ({ created_at: made }) => made,
      },
      { title: 'BEFORE', text: ({ reason }) => reason, mayShrink: true },
    ])(answer.items);
  }
  return exitCodes.done;
}

export async function listReloads(
  { api, output, format, now }: Session,
  _operands: readonly string[],
  options: Readonly<Record<string, unknown>>,
): Promise<ExitCode> {
  const query = { limit: wholeNumber(String(options['limit']), '--limit', 1, 1000) };
  const { data: answer } = await api.GET('/api/config/reloads', { params: { query } });
  if (format === 'json') await output.json(answer);
  else {
    await output.rows<ReloadRecord>([
      { title: 'ID', text: ({ id }) => id },
      { title: 'BEGAN', text: ({ started_at: at }) => fromNow(at, now()), plain: ({ started_at: at }) => at },
      {
        title: 'OUTCOME',
        text: ({ status }) => status,
        style: ({ status }) => (status === 'completed' ? 'good' : 'trouble'),
      },
      { title: 'WHY', text: ({ reasons }) => reasons.join(', '), mayShrink: true },
      { title: 'ERROR', text: ({ error }) => error ?? '', mayShrink: true },
    ])(answer.items);
  }
  return exitCodes.done;
}

export async function restoreConfig(session: Session, [id = '']: readonly string[]): Promise<ExitCode> {
  session.interruption.reports(
    () => 'the restore was not answered; the service goes on with it, see: proxy-manager status',
  );
  const { data: answer } = await session.api.POST('/api/config/backups/{id}/restore', { params: { path: { id } } });
  if (session.format === 'json') await session.output.json(answer);
  else await session.output.lines([`backup ${id} is in force`, ...reloadLines(answer)].map(harmlessLines));
  return exitCodes.done;
}
