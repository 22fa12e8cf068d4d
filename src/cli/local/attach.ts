// They need root, because they change this machine.
import { getuid } from 'node:process';
import { Option } from 'commander';
import type { Operator } from '../../attach/attach.ts';
import { root } from '../../root.ts';
import { parseOpenFrontEnds, parseReloadBy } from '../../settings.ts';
import type { CommandLine } from '../command-line.ts';
import { ask, canAsk } from '../connection/open-session.ts';
import { exitCodes, usageError } from '../failure.ts';
import { harmlessLines } from '../output/harmless.ts';
import { optionsOf, Verb } from '../verb.ts';

export function attachVerb(cli: CommandLine): Verb {
  const verb = new Verb('attach', 'maintain the lists of a HAProxy that you configure yourself')
    .option('--dry-run', 'only report what would be created, and the lines to paste')
    .option('--config <file>', 'configuration file of the HAProxy to attach to, if several run')
    .option(
      '--open <names>',
      'front ends to exempt, which then serve blocked addresses too, separated by commas; default: as in the previous attach',
    )
    .addOption(
      new Option(
        '--reload-by <way>',
        'how to reload HAProxy: master, systemd:UNIT or never; default: as in the previous attach',
      ),
    )
    .option('--upstreams', 'also print the lines with which HAProxy checks the clients of a CDN or a load balancer')
    .option('--yes', 'import lists, and restart or reload HAProxy, without asking')
    .example('attach --dry-run', 'inspect the machine and change nothing')
    .example('attach', 'create what is missing, wait for the lines, and verify the result; can be repeated')
    .example('attach --open stats,internal', 'exempt two front ends');
  return verb.action(async () => {
    const options = optionsOf(verb);
    const text = (name: string): string | null => (typeof options[name] === 'string' ? options[name] : null);
    const given = <T>(name: string, parse: (value: string) => T): T | null => {
      const value = text(name);
      return value === null ? null : parse(value);
    };
    const dryRun = options['dryRun'] === true;
    requireRoot(dryRun);
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
      upstreams: options['upstreams'] === true,
      root,
    });
    cli.exitCode = outcome === 'proved' ? exitCodes.done : exitCodes.partly;
  });
}

export function detachVerb(cli: CommandLine): Verb {
  const verb = new Verb('detach', 'remove what attach created; changes neither your configuration nor HAProxy')
    .option('--dry-run', 'only report what would be removed')
    .option('--yes', 'detach even if the configuration of HAProxy cannot be read')
    .example('detach', 'after removing the lines from your configuration');
  return verb.action(async () => {
    const options = optionsOf(verb);
    const dryRun = options['dryRun'] === true;
    requireRoot(dryRun);
    const [{ detach }, { thisHost }] = await Promise.all([
      import('../../attach/detach.ts'),
      import('../../attach/host.ts'),
    ]);
    await detach(thisHost, operatorAt(cli), { dryRun, yes: options['yes'] === true, root });
  });
}

function requireRoot(dryRun: boolean): void {
  if (dryRun || getuid?.() === 0) return;
  throw usageError('root is required, because this changes systemd units; --dry-run shows what it would do');
}

function operatorAt({ host, output }: CommandLine): Operator {
  return {
    canAsk: canAsk(host),
    print: (...lines) => output.lines(lines.map(harmlessLines)),
    ask: (question) => ask(host, question),
  };
}
