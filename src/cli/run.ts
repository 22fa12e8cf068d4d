// One run from words to exit code.
import { CommanderError } from 'commander';
import { CommandLine } from './command-line.ts';
import { type ExitCode, exitCodes, Failure } from './failure.ts';
import type { CliHost } from './host.ts';
import { buildProgram } from './program.ts';

/** @param words what was typed behind `proxy-manager` */
export async function runCommandLine(words: readonly string[], host: CliHost): Promise<ExitCode> {
  const cli = new CommandLine(host);
  try {
    const meant = helpMeant(words);
    const program = await buildProgram(cli, meant);
    await program.parseAsync(meant, { from: 'user' });
    return cli.exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
    if (error instanceof Failure) {
      cli.fail(error.message);
      return error.exitCode;
    }
    cli.fail(causeOf(error));
    return isUsage(error) ? exitCodes.usage : exitCodes.failed;
  }
}

/** `help` and `help block`, as many programs take them. */
function helpMeant([first, ...words]: readonly string[]): readonly string[] {
  if (first === undefined) return [];
  return first === 'help' ? [...words, '--help'] : [first, ...words];
}

/** Settings and crash points of `serve`; by name, since their modules are most of the service. */
function isUsage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error.name === 'StartFailed') return isUsage(error.cause);
  return error.name === 'SettingsError' || error.name === 'UnknownCrashPoint';
}

function causeOf(error: unknown): string {
  const parts: string[] = [];
  let current = error;
  for (let depth = 0; depth < 8 && current instanceof Error; depth += 1) {
    const { message } = current;
    if (!parts.some((part) => part.includes(message))) parts.push(message);
    current = current.cause;
  }
  return parts.length === 0 ? String(error) : parts.join(': caused by: ');
}
