// `npm run bench`: the service and its floor on the same machine, in the same run. `--help` explains it.
import { writeFileSync } from 'node:fs';
import { UsageError } from '../testkit/command-line.ts';
import { asData, table } from './figures.ts';
import { machineFacts, proxyFacts } from './machine.ts';
import { type Options, readOptions, usage } from './options.ts';
import { rows } from './rows.ts';
import { Session } from './session.ts';

const exitCodes = { done: 0, failed: 1, usage: 2, SIGINT: 130, SIGTERM: 143 } as const;

async function main(options: Options): Promise<number> {
  // HAProxy's folder is not in the PATH of ordinary users.
  process.env.PATH += ':/usr/sbin:/usr/local/sbin';
  const began = performance.now();
  const say = (text: string): void => {
    const seconds = ((performance.now() - began) / 1_000).toFixed(1);
    process.stderr.write(`[${seconds.padStart(6)} s] ${text}\n`);
  };
  const proxy = proxyFacts(options.proxyBin);
  const machine = machineFacts(proxy.version, new Date());
  const stop = new AbortController();
  let code: number = exitCodes.done;
  const stopWith = (why: string, exitCode: number): void => {
    if (stop.signal.aborted) return;
    code = exitCode;
    say(`${why}: stops what it started`);
    stop.abort();
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stopWith(signal, exitCodes[signal]));
  process.on('SIGHUP', () => stopWith('SIGHUP', exitCodes.SIGTERM));
  process.on('uncaughtException', (error) => stopWith(String(error.stack), exitCodes.failed));

  const session = new Session(options, proxy, say);
  await session.run(stop.signal);
  for (const wrong of await session.started.stopAll()) {
    say(`not stopped: ${String(wrong)}`);
    if (code === exitCodes.done) code = exitCodes.failed;
  }
  const { results } = session;
  if (code === exitCodes.done && results.some((result) => 'failed' in result)) code = exitCodes.failed;
  const seconds = Math.round((performance.now() - began) / 1_000);
  const about = `HAProxy ${machine.haproxy}, Node ${machine.node}, ${machine.cores} cores (${machine.cpu}), ${machine.date}`;
  process.stdout.write(`${about}\n\n${table(results)}`);
  if (options.json !== null) {
    const whole = code === exitCodes.done || code === exitCodes.failed;
    const data = { machine, entries: options.sizes, whole, seconds, figures: asData(results) };
    writeFileSync(options.json, `${JSON.stringify(data, null, 2)}\n`);
  }
  say('ended');
  return code;
}

try {
  const options = readOptions(process.argv.slice(2), Object.keys(rows));
  if (options.help) process.stdout.write(usage(Object.keys(rows)));
  // An open handle must not keep the process alive.
  else process.exit(await main(options));
} catch (error) {
  const wrongUse = error instanceof UsageError;
  process.stderr.write(`bench: ${(error as Error).message}${wrongUse ? '; --help says more' : ''}\n`);
  process.exitCode = wrongUse ? exitCodes.usage : exitCodes.failed;
}
