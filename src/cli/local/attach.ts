// `attach` and `detach`: next to a HAProxy that somebody else configures. They change this machine, so they are root's.
import { join } from 'node:path';
import { getuid } from 'node:process';
import { Option } from 'commander';
import type { Operator } from '../../attach/attach.ts';
import { parseOpenFrontEnds, parseReloadBy } from '../../settings.ts';
import type { CommandLine } from '../command-line.ts';
import { ask } from '../connection/open-session.ts';
import { exitCodes, misused } from '../failure.ts';
import { harmlessLines } from '../output/harmless.ts';
import { optionsOf, Verb } from '../verb.ts';

const root = join(import.meta.dirname, '../../..');

export function attachVerb(cli: CommandLine): Verb {
  const verb = new Verb('attach', 'keep the lists of a HAProxy whose configuration is your own')
    .option('--dry-run', 'only say what would be made, and the lines to paste')
    .option('--config <file>', 'of the HAProxy that is meant, where several run')
    .option(
      '--open <names>',
      'front ends that are to have no rule; several with commas; as before where it is left out',
    )
    .addOption(new Option('--reload-by <way>', 'master, systemd:UNIT or never; as before where it is left out'))
    .option('--yes', 'import lists, and restart or reload HAProxy, without a question')
    .example('attach --dry-run', 'look at what there is, and change nothing')
    .example('attach', 'make what is missing, wait for the lines, and prove the result; repeat it at will')
    .example('attach --open stats,internal', 'with two front ends that serve blocked addresses on purpose') as Verb;
  return verb.action(async () => {
    const options = optionsOf(verb);
    const text = (name: string): string | null => (typeof options[name] === 'string' ? options[name] : null);
    const given = <T>(name: string, parse: (value: string) => T): T | null => {
      const value = text(name);
      return value === null ? null : parse(value);
    };
    const dryRun = options['dryRun'] === true;
    refuseOthers(dryRun);
    const [{ attach }, { thisHost }] = await Promise.all([
      import('../../attach/attach.ts'),
      import('../../attach/host.ts'),
    ]);
    const outcome = await attach(thisHost, operatorAt(cli), {
      dryRun,
      configFile: text('config'),
      reloadBy: given('reloadBy', (value) => parseReloadBy(value, '--reload-by')),
      openFrontEnds: given('open', (value) => parseOpenFrontEnds(value, '--open')),
      yes: options['yes'] === true,
      root,
    });
    cli.exitCode = outcome === 'proved' ? exitCodes.done : exitCodes.partly;
  }) as Verb;
}

export function detachVerb(cli: CommandLine): Verb {
  const verb = new Verb('detach', 'take away what attach made; your configuration and HAProxy stay as they are')
    .option('--dry-run', 'only say what would be removed')
    .example('detach', 'after the lines were taken out of your configuration') as Verb;
  return verb.action(async () => {
    const dryRun = optionsOf(verb)['dryRun'] === true;
    refuseOthers(dryRun);
    const [{ detach }, { thisHost }] = await Promise.all([
      import('../../attach/detach.ts'),
      import('../../attach/host.ts'),
    ]);
    await detach(thisHost, operatorAt(cli), { dryRun, root });
  }) as Verb;
}

function refuseOthers(dryRun: boolean): void {
  if (dryRun || getuid?.() === 0) return;
  throw misused('it changes units and drop-ins, so only root may; --dry-run says what it would do');
}

function operatorAt({ host, output }: CommandLine): Operator {
  const canAsk = host.stdin.isTTY === true && host.stderr.isTTY === true;
  return {
    canAsk,
    tell: (...lines) => output.lines(lines.map(harmlessLines)),
    ask: (question) => ask(host, question),
  };
}
