// `npm run chaos:load`: many clients at once for minutes. `--help` explains it.
import { writeFileSync } from 'node:fs';
import { UsageError } from '../testkit/command-line.ts';
import { type LoadOptions, readOptions, usage } from './load/options.ts';
import { passed, reportOf } from './load/report.ts';
import { runLoad } from './load/run.ts';

const exitCodes = { passed: 0, failed: 1, usage: 2, stopped: 130 } as const;

async function main(options: LoadOptions): Promise<number> {
  // HAProxy's folder is not in the PATH of ordinary users.
  process.env.PATH += ':/usr/sbin:/usr/local/sbin';
  const began = performance.now();
  const say = (text: string): void => {
    const seconds = ((performance.now() - began) / 1_000).toFixed(1);
    process.stderr.write(`[${seconds.padStart(6)} s] ${text}\n`);
  };
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      say(`${signal}: stops what it started`);
      stop.abort();
    });
  }
  try {
    const result = await runLoad(options, say, stop.signal);
    process.stdout.write(reportOf(result));
    if (options.json !== null) writeFileSync(options.json, `${JSON.stringify({ options, ...result })}\n`);
    return passed(result) ? exitCodes.passed : exitCodes.failed;
  } catch (error) {
    if (stop.signal.aborted) return exitCodes.stopped;
    throw error;
  }
}

try {
  const options = readOptions(process.argv.slice(2));
  if (options.help) process.stdout.write(usage);
  // An open handle must not keep the process alive.
  else process.exit(await main(options));
} catch (error) {
  const wrongUse = error instanceof UsageError;
  process.stderr.write(
    `chaos:load: ${wrongUse ? error.message : String((error as Error).stack)}${wrongUse ? '; --help says more' : ''}\n`,
  );
  process.exit(wrongUse ? exitCodes.usage : exitCodes.failed);
}
