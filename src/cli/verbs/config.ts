import type { Backup, ReloadRecord, ValidationAnswer } from '../../api/configuration.ts';
import { counted } from '../../domain/counted.ts';
import type { CommandLine } from '../command-line.ts';
import { type ExitCode, exitCodes } from '../failure.ts';
import type { Style } from '../output/colour.ts';
import { harmlessLines } from '../output/harmless.ts';
import { fromNow } from '../output/times.ts';
import { reloadLines } from '../reload-text.ts';
import { printAnswer, type Session } from '../session.ts';
import { type Options, Verb, wholeNumber } from '../verb.ts';

export function configVerb(cli: CommandLine, localVerbs: readonly Verb[]): Verb {
  const validate = new Verb('validate', 'check with HAProxy whether a reload would succeed; changes nothing').example(
    'config validate',
    'exits 1 if the configuration is invalid',
  );
  const diff = new Verb('diff', 'show what a reload, or the restore of a backup, would change')
    .argument('[backup]', 'id from config backups')
    .example('config diff', 'prints nothing if nothing would change')
    .example('config diff 20261121T201500123Z-0a1b2c3d', 'check before config restore');
  const backups = new Verb('backups', 'list the backups of the configuration, newest first').example(
    'config backups',
    'the ids for config restore',
  );
  const reloads = new Verb('reloads', 'list the reloads, newest first')
    .option('-n, --limit <count>', 'maximum number of reloads', '20')
    .example('config reloads -n 5', 'the last five, with their reasons');
  const restore = new Verb('restore', 'restore a backup of the configuration by a safe reload; keeps the blocked set')
    .argument('<id>', 'id from config backups')
    .example('config restore 20261121T201500123Z-0a1b2c3d', 'as config backups lists it');
  const group = new Verb('config', "show settings, and manage HAProxy's configuration");
  for (const verb of localVerbs) group.addCommand(verb);
  return group
    .addCommand(cli.calling(validate, validateConfig))
    .addCommand(cli.calling(diff, diffConfig))
    .addCommand(cli.calling(backups, listBackups))
    .addCommand(cli.calling(reloads, listReloads))
    .addCommand(cli.calling(restore, restoreConfig));
}

export async function validateConfig(session: Session): Promise<ExitCode> {
  const { data: answer } = await session.api.POST('/api/config/validate');
  await printAnswer(session, answer, validationLines, harmlessLines);
  return answer.valid ? exitCodes.done : exitCodes.failed;
}

const needsConsent =
  'the live configuration was edited by hand or restored: a reload replaces it only with --replace-configuration';

/** Says that nothing was changed, so that the live configuration is not in doubt. */
export function validationLines(answer: ValidationAnswer): string[] {
  const { valid, output, sha256, warnings } = answer;
  const messages = output.trim() === '' ? [] : [output.trim()];
  const consent = answer.needs_replace_configuration ? [needsConsent] : [];
  if (valid) {
    const verdict = warnings.length === 0 ? 'valid' : `valid, with ${counted(warnings.length, 'warning')}`;
    const lines = warnings.map((warning) => `warning: ${warning}`);
    return [`${verdict}: a reload would succeed`, ...lines, ...consent, ...messages];
  }
  const lines = ['invalid: a reload would be refused; nothing was changed', ...messages];
  // HAProxy counts the lines of the rendered text, which is in no file.
  return sha256 === ''
    ? lines
    : [...lines, 'line numbers are those of the rendered configuration: proxy-manager config diff'];
}

async function diffConfig({ api, output, format }: Session, [backup]: readonly string[] = []): Promise<ExitCode> {
  const query = backup === undefined ? {} : { backup };
  const { data: answer } = await api.GET('/api/config/diff', { params: { query } });
  if (format === 'json') await output.json(answer);
  else if (answer.changed) {
    const lines = harmlessLines(answer.diff.replace(/\n$/, '')).split('\n');
    await output.lines(lines.map((line) => paintDiff(line, output.paint)));
  } else if (output.isTerminal)
    output.remark(`${backup === undefined ? 'a reload' : 'the restore'} would change nothing`);
  return exitCodes.done;
}

function paintDiff(line: string, paint: (style: Style, text: string) => string): string {
  if (line.startsWith('+')) return paint('good', line);
  return line.startsWith('-') ? paint('error', line) : line;
}

async function listBackups({ api, output, format, now }: Session): Promise<ExitCode> {
  const { data: answer } = await api.GET('/api/config/backups');
  if (format === 'json') await output.json(answer);
  else {
    await output.rows<Backup>([
      { title: 'ID', text: ({ id }) => id },
      {
        title: 'CREATED',
        text: ({ created_at: at }) => fromNow(at, now()),
        plain: ({ created_at: at }) => at,
      },
      { title: 'BEFORE', text: ({ reason }) => reason, mayShrink: true },
    ])(answer.items);
  }
  return exitCodes.done;
}

async function listReloads(
  { api, output, format, now }: Session,
  _operands: readonly string[],
  options: Options,
): Promise<ExitCode> {
  const query = { limit: wholeNumber(String(options['limit']), '--limit', 1, 1000) };
  const { data: answer } = await api.GET('/api/config/reloads', { params: { query } });
  if (format === 'json') await output.json(answer);
  else {
    await output.rows<ReloadRecord>([
      { title: 'ID', text: ({ id }) => id },
      { title: 'STARTED', text: ({ started_at: at }) => fromNow(at, now()), plain: ({ started_at: at }) => at },
      {
        title: 'OUTCOME',
        text: ({ status }) => status,
        style: ({ status }) => (status === 'completed' ? 'good' : 'error'),
      },
      { title: 'REASON', text: ({ reasons }) => reasons.join(', '), mayShrink: true },
      { title: 'ERROR', text: ({ error }) => error ?? '', mayShrink: true },
    ])(answer.items);
  }
  return exitCodes.done;
}

async function restoreConfig(session: Session, [id = '']: readonly string[]): Promise<ExitCode> {
  session.interruption.reports(() => 'the service continues the restore; see: proxy-manager status');
  const { data: answer } = await session.api.POST('/api/config/backups/{id}/restore', { params: { path: { id } } });
  await printAnswer(session, answer, () => [`backup ${id} was restored`, ...reloadLines(answer)], harmlessLines);
  return exitCodes.done;
}
