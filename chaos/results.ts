// One JSON line a round, so that a run can be interrupted and resumed.
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import type { RoundResult } from './round.ts';

interface ResultLine {
  readonly seed: number;
  readonly round: number;
  readonly version: string;
  readonly faults: readonly string[];
  readonly operations: number;
  readonly requests: number;
  readonly ms: number;
  readonly slowest_fast_path_ms: number;
  /** From the last heal on; null: never. */
  readonly agreed_ms: number | null;
  readonly verdict: 'passed' | 'failed';
  readonly wrong?: readonly string[];
}

export function lineOf(seed: number, version: string, result: RoundResult): ResultLine {
  return {
    seed,
    round: result.round,
    version,
    faults: result.struck,
    operations: result.operations,
    requests: result.requests,
    ms: result.ms,
    slowest_fast_path_ms: result.slowestFastPathMs,
    agreed_ms: result.agreedMs,
    verdict: result.wrong.length === 0 ? 'passed' : 'failed',
    ...(result.wrong.length === 0 ? {} : { wrong: result.wrong }),
  };
}

export function append(path: string, line: ResultLine): void {
  const cutOff = existsSync(path) && !/(^|\n)$/.test(readFileSync(path, 'utf8'));
  appendFileSync(path, `${cutOff ? '\n' : ''}${JSON.stringify(line)}\n`);
}

/** 0: none. Skips a line that was cut off. */
export function lastRoundIn(path: string, seed: number, version: string): number {
  if (!existsSync(path)) return 0;
  let last = 0;
  for (const text of readFileSync(path, 'utf8').split('\n')) {
    const line = parsed(text);
    if (line?.seed === seed && line.version === version) last = Math.max(last, line.round);
  }
  return last;
}

function parsed(text: string): ResultLine | null {
  try {
    return JSON.parse(text) as ResultLine;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
