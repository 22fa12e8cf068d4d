// `npm run test:again`: the suite in fresh clones, with a row of docs/reliability.md for each run.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { parseOptions, wholeNumber } from '../command-line.ts';
import { testProxies } from '../proxies.ts';
import { seedVariable, testSeed } from '../seed.ts';
import { BusyLoops } from './busy-loops.ts';
import { headCommit, readPage, root, uncommitted, writePage } from './checkout.ts';
import { runCommand } from './command.ts';
import { runProgram, say, stopOnSignals } from './program.ts';
import {
  durationText,
  greenInARow,
  nextIsBusy,
  readReport,
  resultOf,
  rowOf,
  type SuiteRun,
  suiteRuns,
} from './suite-run.ts';
import { rowsOf, withRow } from './table.ts';

const usage = `npm run test:again -- [options]: runs "npm test" in a fresh clone of HEAD, as a new contributor would, and appends a row
to the table in docs/reliability.md after each run.

  --times 1       number of runs
  --beside 4      busy loops that run beside every third of the green runs in a row; 0: none
  --seed ${testSeed}        seed of the tests
  --keep-going    go on after a red run
  --help          print this text

Packages and HAProxy are installed before the run; the duration is that of "npm test" alone. The clone of a red run is
kept. Exit code: 0 if every run was green, 1 if not, 2 for wrong use.
`;

interface Options {
  readonly times: number;
  readonly beside: number;
  readonly seed: number;
  readonly keepGoing: boolean;
}

const stopping = stopOnSignals();

async function main({ times, beside, seed, keepGoing }: Options): Promise<number> {
  const changed = uncommitted();
  if (changed.length > 0) {
    throw new Error(`commit these files first, the clones would not have them:\n${changed.join('\n')}`);
  }
  let code = 0;
  for (let nth = 1; nth <= times; nth += 1) {
    const busyLoops = nextIsBusy(rowsOf(readPage(), suiteRuns)) ? beside : 0;
    say(`run ${nth} of ${times}, seed ${seed}, ${busyLoops === 0 ? 'no' : busyLoops} busy loops beside it`);
    const folder = mkdtempSync(join(tmpdir(), 'test-again-'));
    let green = false;
    try {
      const run = await runSuite(folder, seed, busyLoops);
      green = run.result.failed === 0;
      writePage(withRow(readPage(), suiteRuns, rowOf(run)));
      say(`${green ? 'GREEN' : 'RED'}: ${rowOf(run)[6]} in ${durationText(run.seconds)}`);
      for (const failure of run.result.failures) say(`  ${failure}`);
      say(`green runs in a row: ${greenInARow(rowsOf(readPage(), suiteRuns))}`);
    } finally {
      if (green || stopping.signal.aborted) rmSync(folder, { recursive: true, force: true });
      else say(`kept: ${folder} (clone, output.txt, report.json)`);
    }
    if (green) continue;
    code = 1;
    if (!keepGoing) break;
  }
  return code;
}

async function runSuite(folder: string, seed: number, busyLoops: number): Promise<SuiteRun> {
  const clone = join(folder, 'clone');
  const report = join(folder, 'report.json');
  const log = join(folder, 'output.txt');
  const env = { ...environmentWithoutNpm(), [seedVariable]: String(seed), PROXY_MANAGER_TEST_REPORT: report };
  const common = { cwd: clone, env, log, signal: stopping.signal };
  const commit = headCommit();
  execFileSync('git', ['clone', '--quiet', '--no-hardlinks', root, clone]);
  execFileSync('git', ['checkout', '--quiet', '--detach', commit], { cwd: clone });
  const prepared = await runCommand({ ...common, line: ['sh', 'scripts/prepare', 'tests'] });
  if (prepared.code !== 0) throw new Error(`scripts/prepare failed:\n${readFileSync(log, 'utf8')}`);
  const at = new Date();
  using _loops = new BusyLoops(busyLoops);
  const { code, seconds } = await runCommand({ ...common, line: ['npm', 'test'] });
  const result = resultOf(readReport(report), clone, code);
  return { at, commit, seed, seconds, busyLoops, proxies: testProxies().found, result };
}

/** Without npm's variables, so that the clone uses its own packages. */
function environmentWithoutNpm(): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !/^(npm_|INIT_CWD$)/.test(name));
  const path = (process.env.PATH ?? '').split(delimiter).filter((part) => !/node_modules|node-gyp-bin/.test(part));
  return { ...Object.fromEntries(own), PATH: path.join(delimiter) };
}

function readOptions(args: readonly string[]): Options | null {
  const values = parseOptions(args, {
    times: { type: 'string', default: '1' },
    beside: { type: 'string', default: '4' },
    seed: { type: 'string', default: String(testSeed) },
    'keep-going': { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  });
  if (values.help) return null;
  return {
    times: wholeNumber('times', values.times, 1, 1_000),
    beside: wholeNumber('beside', values.beside, 0, 64),
    seed: wholeNumber('seed', values.seed, 0, 0x7fff_ffff),
    keepGoing: values['keep-going'],
  };
}

await runProgram({ name: 'test:again', usage, readOptions, main, stopping });
