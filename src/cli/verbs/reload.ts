import type { CommandLine } from '../command-line.ts';
import { type ExitCode, exitCodes } from '../failure.ts';
import { harmlessLines } from '../output/harmless.ts';
import { consentOf, reloadLines, replaceHelp } from '../reload-text.ts';
import { printAnswer, type Session } from '../session.ts';
import { type Options, Verb } from '../verb.ts';
import { validateConfig } from './config.ts';

export function reloadVerb(cli: CommandLine): Verb {
  const verb = new Verb(
    'reload',
    'reload HAProxy safely: a configuration that is invalid or does not start is rolled back',
  )
    .option('--dry-run', 'only validate the configuration')
    .option('--replace-configuration', replaceHelp)
    .example('reload', 'after a change of the template')
    .example('reload --dry-run', 'check first; config diff shows what would change');
  return cli.calling(verb, reload);
}

async function reload(session: Session, _operands: readonly string[], options: Options): Promise<ExitCode> {
  if (options['dryRun'] === true) return await validateConfig(session);
  session.interruption.reports(() => 'the service continues the reload; see: proxy-manager status');
  const query = consentOf(options);
  const { data: answer } = await session.api.POST('/api/config/reload', { params: { query } });
  await printAnswer(session, answer, reloadLines, harmlessLines);
  return exitCodes.done;
}
