// What `npm run test:again` and `npm run test:long` have in common: output, signals, exit code.
import { UsageError } from '../command-line.ts';

interface Program<Options> {
  readonly name: string;
  readonly usage: string;
  /** Null: only the usage is printed. @throws UsageError */
  readonly readOptions: (args: readonly string[]) => Options | null;
  /** Returns the exit code. */
  readonly main: (options: Options) => Promise<number>;
  readonly stopping: Stopping;
}

interface Stopping {
  readonly signal: AbortSignal;
  /** The exit code of the signal; 0 without one. */
  code(): number;
}

/** Sets the exit code: 2 for wrong use, the signal's after a signal, 1 for any other error. */
export async function runProgram<Options>(program: Program<Options>): Promise<void> {
  const { name, usage, readOptions, main, stopping } = program;
  try {
    const options = readOptions(process.argv.slice(2));
    if (options === null) process.stdout.write(usage);
    else process.exitCode = await main(options);
  } catch (error) {
    const wrongUse = error instanceof UsageError;
    say(`${name}: ${(error as Error).message}${wrongUse ? '; --help explains the options' : ''}`, process.stderr);
    process.exitCode = wrongUse ? 2 : stopping.code() || 1;
  }
}

export function say(text: string, to: NodeJS.WriteStream = process.stdout): void {
  to.write(`${text}\n`);
}

/** Aborts at SIGINT, SIGTERM and SIGHUP. */
export function stopOnSignals(): Stopping {
  const stop = new AbortController();
  let code = 0;
  for (const [name, number] of [
    ['SIGHUP', 1],
    ['SIGINT', 2],
    ['SIGTERM', 15],
  ] as const) {
    process.on(name, () => {
      if (stop.signal.aborted) return;
      code = 128 + number;
      stop.abort(new Error(`${name}: stopped`));
    });
  }
  return { signal: stop.signal, code: () => code };
}
