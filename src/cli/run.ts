import { CommanderError } from 'commander';
import { causeText } from '../telemetry/cause-text.ts';
import { CommandLine } from './command-line.ts';
import { type ExitCode, exitCodes, Failure } from './failure.ts';
import type { CliHost } from './host.ts';
import { buildProgram } from './program.ts';

/** @param typed the words after `proxy-manager` */
export async function runCommandLine(typed: readonly string[], host: CliHost): Promise<ExitCode> {
  const cli = new CommandLine(host);
  try {
    const words = withHelpFlag(typed);
    const program = await buildProgram(cli, words);
    await program.parseAsync(words, { from: 'user' });
    return cli.exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
    if (error instanceof Failure) {
      cli.fail(error.message);
      return error.exitCode;
    }
    cli.fail(causeText(error));
    return isUsageError(error) ? exitCodes.usage : exitCodes.failed;
  }
}

/** `help block` becomes `block --help`. */
function withHelpFlag([first, ...words]: readonly string[]): readonly string[] {
  if (first === undefined) return [];
  return first === 'help' ? [...words, '--help'] : [first, ...words];
}

/** By name: their modules would load most of the service. */
function isUsageError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error.name === 'StartFailed') return isUsageError(error.cause);
  return error.name === 'SettingsError' || error.name === 'UnknownCrashPoint';
}
