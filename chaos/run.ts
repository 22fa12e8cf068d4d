// `npm run chaos`: random faults, and a check of every promise after each round. `--help` explains it.
import { execFileSync } from 'node:child_process';
import { inspect } from 'node:util';
import { hasPebble } from '../testkit/acme/pebble.ts';
import { UsageError } from '../testkit/command-line.ts';
import { runRounds } from './engine.ts';
import { attachedFaults, certificateFaults, faults } from './faults.ts';
import { type Options, readOptions, usage } from './options.ts';
import { append, lastRoundIn, lineOf } from './results.ts';
import { Summary } from './summary.ts';

const exitCodes = { passed: 0, failed: 1, usage: 2, SIGINT: 130, SIGTERM: 143 } as const;
const namesOf = (some: readonly { readonly name: string }[]) => some.map(({ name }) => name);
const names = { managed: namesOf(faults), attached: namesOf(attachedFaults), certificates: namesOf(certificateFaults) };

async function main(options: Options): Promise<number> {
  // HAProxy's folder is not in the PATH of ordinary users.
  process.env.PATH += ':/usr/sbin:/usr/local/sbin';
  if (options.certificates && !hasPebble) {
    throw new UsageError('--certificates needs pebble, which testkit/install-pebble unpacks');
  }
  const version = `${versionOf(options.proxyBin)}${options.attached ? ' attached' : ''}${options.certificates ? ' certificates' : ''}`;
  const stop = new AbortController();
  let code: number = exitCodes.passed;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (stop.signal.aborted) return;
      say(`${signal}: this round is the last`);
      code = exitCodes[signal];
      stop.abort();
    });
  }
  const summary = new Summary();
  const { seed, out } = options;
  await runRounds({
    bin: options.proxyBin,
    seed,
    from: options.from ?? (out === null ? 0 : lastRoundIn(out, seed, version)) + 1,
    rounds: options.rounds,
    faults: (options.attached ? attachedFaults : options.certificates ? certificateFaults : faults).filter(({ name }) =>
      options.faults.includes(name),
    ),
    attached: options.attached,
    certificates: options.certificates,
    replayOptions: replayOptions(options),
    shrinkTries: options.shrink,
    keep: options.keep,
    signal: stop.signal,
    say,
    onRound: (result) => {
      summary.add(result);
      if (out !== null) append(out, lineOf(seed, version, result));
      const verdict = result.wrong.length === 0 ? 'passed' : 'FAILED';
      const struck = result.struck.length === 0 ? 'no fault' : result.struck.join(', ');
      say(
        `round ${result.round} ${verdict}: ${result.operations} operations, ${result.ms} ms (${result.checkedMs} of them after the heal), ${struck}`,
      );
      if (options.verbose && result.wrong.length === 0) say(result.story.map((line) => `  ${line}`).join('\n'));
      if (result.wrong.length > 0 && code === exitCodes.passed) code = exitCodes.failed;
    },
  });
  process.stdout.write(`HAProxy ${version}, seed ${seed}\n${summary.text()}`);
  return code;
}

function replayOptions({ attached, certificates, only, proxyBin }: Options): string {
  return `${attached ? ' --attached' : ''}${certificates ? ' --certificates' : ''}${only === null ? '' : ` --only ${only}`}${proxyBin === 'haproxy' ? '' : ` --proxy-bin ${proxyBin}`}`;
}

function versionOf(bin: string): string {
  const line = execFileSync(bin, ['-v'], { encoding: 'utf8' });
  return /version (\S+)/.exec(line)?.[1] ?? 'unknown';
}

function say(text: string): void {
  process.stderr.write(`${text}\n`);
}

try {
  const options = readOptions(process.argv.slice(2), names);
  if (options.help) process.stdout.write(usage(names));
  // An open handle must not keep the process alive.
  else process.exit(await main(options));
} catch (error) {
  const wrongUse = error instanceof UsageError;
  process.stderr.write(`chaos: ${wrongUse ? `${error.message}; --help says more` : inspect(error)}\n`);
  process.exit(wrongUse ? exitCodes.usage : exitCodes.failed);
}
