// Keeps a stack until a round fails, and rebuilds it now and then. A failed round is printed with the command that
// repeats it, and reduced.
import type { Fault } from './fault.ts';
import { describeOperation, type Program, programOf, type Step } from './program.ts';
import { Arena, type RoundResult } from './round.ts';
import { shrink } from './shrink.ts';

interface EngineOptions {
  readonly bin: string;
  readonly seed: number;
  readonly from: number;
  readonly rounds: number;
  readonly faults: readonly Fault[];
  readonly attached: boolean;
  /** The service orders certificates. */
  readonly certificates?: boolean;
  /** Added to the command that repeats a round, such as `--only …`. */
  readonly replayOptions: string;
  /** Maximum of runs to reduce a failed round. */
  readonly shrinkTries: number;
  /** Leave the stack of a failed round running, and stop. */
  readonly keep: boolean;
  readonly signal: AbortSignal;
  readonly say: (text: string) => void;
  readonly onRound: (result: RoundResult) => void;
}

const rebuildEvery = 50;
/** A race may need several attempts. */
const wholeTries = 3;

/** Stops everything at the end or at the signal. */
export async function runRounds(options: EngineOptions): Promise<void> {
  const { from, rounds, seed, signal, say } = options;
  let last: RoundResult | null = null;
  let arena: Arena | null = null;
  let builtAt = from;
  try {
    for (let round = from; round < from + rounds && !signal.aborted; round += 1) {
      if (arena !== null && round - builtAt >= rebuildEvery) {
        await finish(options, arena, last);
        await arena.stop();
        arena = null;
      }
      if (arena === null) {
        arena = await Arena.start(options.bin, options.faults, options);
        builtAt = round;
      }
      const program = programOf(seed, round, options.faults, { sites: !options.attached });
      const result = await arena.run(program);
      // Ctrl-C also reaches the service and HAProxy: their failures now prove nothing.
      if (signal.aborted) break;
      options.onRound(result);
      last = result;
      if (result.wrong.length === 0) continue;
      say(report(options, result, builtAt));
      if (options.keep) {
        say(`kept: ${arena.stack.service.paths.prefix}, service ${arena.stack.service.pid}`);
        arena = null;
        return;
      }
      await arena.stop();
      arena = null;
      if (options.shrinkTries > 0 && !signal.aborted) say(await smaller(options, program));
    }
    if (arena !== null && !signal.aborted) await finish(options, arena, last);
  } finally {
    await arena?.stop();
  }
}

/** What goes on over several rounds is reported as a result of its own. */
async function finish({ onRound, say }: EngineOptions, arena: Arena, last: RoundResult | null): Promise<void> {
  const wrong = await arena.finish();
  if (wrong.length === 0 || last === null) return;
  onRound({ ...last, struck: ['what the rounds left open'], wrong, story: [] });
  say(wrong.join('\n'));
}

function report(options: EngineOptions, result: RoundResult, builtAt: number): string {
  const replay = (from: number, rounds: number): string =>
    `npm run chaos -- --seed ${options.seed} --from ${from} --rounds ${rounds}${options.replayOptions}`;
  const lines = [
    `round ${result.round} of seed ${options.seed} FAILED:`,
    ...result.wrong.map((wrong) => `  ${wrong}`),
    'what happened:',
    ...result.story.map((line) => `  ${line}`),
    `again: ${replay(result.round, 1)}`,
  ];
  const before = result.round - builtAt;
  if (before > 0) lines.push(`again, with all that the stack had lived through: ${replay(builtAt, before + 1)}`);
  return lines.join('\n');
}

/** Each attempt has its own stack. */
async function smaller(options: EngineOptions, program: Program): Promise<string> {
  let last: RoundResult | null = null;
  const fails = async (steps: readonly Step[]): Promise<boolean> => {
    if (options.signal.aborted) return false;
    const arena = await Arena.start(options.bin, options.faults, options);
    try {
      const result = await arena.run({ ...program, steps });
      if (result.wrong.length > 0) last = result;
      return result.wrong.length > 0;
    } finally {
      await arena.stop();
    }
  };
  let again = false;
  for (let tries = 0; tries < wholeTries && !again; tries += 1) again = await fails(program.steps);
  if (!again) return `on a stack of its own the round did not fail in ${wholeTries} tries`;
  const shrunk = await shrink(program.steps, fails, options.shrinkTries);
  const found = last as RoundResult | null;
  return [
    `${shrunk.steps.length} of its ${program.steps.length} steps fail as well (${shrunk.tries} tries${shrunk.minimal ? ', minimal' : ''}):`,
    ...shrunk.steps.map((step) => `  ${describeStep(step)}`),
    ...(found?.wrong ?? []).map((wrong) => `  ${wrong}`),
    ...(found?.story ?? []).map((line) => `    ${line}`),
  ].join('\n');
}

function describeStep(step: Step): string {
  const at = `${String(step.at).padStart(5)} ms`;
  if (step.kind === 'fault') return `${at}  FAULT ${step.fault} for ${step.lasts} ms (seed ${step.seed})`;
  return `${at}  client ${step.client}: ${describeOperation(step.operation)}`;
}
