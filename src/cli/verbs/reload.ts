// `reload`: render, validate, switch, reload, prove; or only look whether it would go.

import { type ExitCode, exitCodes } from '../failure.ts';
import { harmlessLines } from '../output/harmless.ts';
import { consentOf, reloadLines, replaceHelp } from '../reload-text.ts';
import type { Session } from '../session.ts';
import { Verb } from '../verb.ts';
import { validateConfig } from './config.ts';

export function reloadVerb(): Verb {
  return new Verb('reload', 'reload the proxy safely: what does not validate, or does not start, is taken back')
    .option('--dry-run', 'only validate what a reload would use')
    .option('--replace-configuration', replaceHelp)
    .example('reload', 'after a change of the template')
    .example('reload --dry-run', 'look first; config diff shows what would change') as Verb;
}

export async function reload(
  session: Session,
  _operands: readonly string[],
  options: Readonly<Record<string, unknown>>,
): Promise<ExitCode> {
  if (options['dryRun'] === true) return await validateConfig(session);
  session.interruption.reports(
    () => 'the reload was not answered; the service goes on with it, see: proxy-manager status',
  );
  const query = consentOf(options);
  const { data: answer } = await session.api.POST('/api/config/reload', { params: { query } });
  if (session.format === 'json') await session.output.json(answer);
  else await session.output.lines(reloadLines(answer).map(harmlessLines));
  return exitCodes.done;
}
