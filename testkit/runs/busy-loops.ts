// Processes that keep a core busy each.
import { type ChildProcess, spawn } from 'node:child_process';
import { execPath, pid } from 'node:process';

/** Ends when its parent is gone, even after a SIGKILL. */
const loop = 'while (process.ppid === Number(process.argv[1]));';

export class BusyLoops implements Disposable {
  readonly #loops: readonly ChildProcess[];

  constructor(count: number) {
    this.#loops = Array.from({ length: count }, () => spawn(execPath, ['-e', loop, String(pid)], { stdio: 'ignore' }));
  }

  [Symbol.dispose](): void {
    for (const one of this.#loops) one.kill('SIGKILL');
  }
}
