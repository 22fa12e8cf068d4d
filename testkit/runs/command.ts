// Runs a long command in its own process group, with its output in a file.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { kill } from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';

export interface Command {
  readonly line: readonly [program: string, ...args: string[]];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** Output is appended to this file. */
  readonly log: string;
  /** Ends the process group. */
  readonly signal: AbortSignal;
}

interface Ended {
  /** Null: ended by a signal. */
  readonly code: number | null;
  readonly seconds: number;
}

const graceMs = 30_000;

/** @throws the abort reason, once the group has ended */
export async function runCommand({ line: [program, ...args], cwd, env, log, signal }: Command): Promise<Ended> {
  signal.throwIfAborted();
  const began = performance.now();
  const output = openSync(log, 'a');
  const child = spawn(program, args, { cwd, env, stdio: ['ignore', output, output], detached: true });
  closeSync(output);
  const ended = once(child, 'exit');
  const end = (): void => killGroup(child.pid, 'SIGINT');
  signal.addEventListener('abort', end);
  try {
    await Promise.race([ended, untilAborted(signal)]);
    if (signal.aborted) {
      await Promise.race([ended, pause(graceMs, undefined, { ref: false })]);
      killGroup(child.pid, 'SIGKILL');
      await ended;
    }
  } finally {
    signal.removeEventListener('abort', end);
  }
  signal.throwIfAborted();
  return { code: child.exitCode, seconds: (performance.now() - began) / 1_000 };
}

async function untilAborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
}

function killGroup(leader: number | undefined, signal: NodeJS.Signals): void {
  if (leader === undefined) return;
  try {
    kill(-leader, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
