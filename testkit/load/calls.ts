// Runs parts of a measurement in processes of their own: they share neither heap nor core with the rest.
import { type ChildProcess, spawn } from 'node:child_process';
import { basename } from 'node:path';

/** Arguments and results are plain data. */
type Calls = Record<string, (...args: never[]) => unknown>;

interface Question {
  readonly id: number;
  readonly name: string;
  readonly args: readonly never[];
}

type Reply = { readonly id: number } & ({ readonly result: unknown } | { readonly error: string });

/** For the part's own process, which ends with its parent. */
export function answerCalls(calls: Calls): void {
  // A terminal signals the complete group; the parent decides when this process ends.
  process.on('SIGINT', () => undefined);
  process.on('disconnect', () => process.exit(0));
  process.on('message', ({ id, name, args }: Question) => {
    Promise.resolve()
      .then(() => calls[name]!(...args))
      .then(
        (result) => process.send!({ id, result } satisfies Reply),
        (error: unknown) => process.send!({ id, error: String(error) } satisfies Reply),
      );
  });
}

export class PartProcess<C extends Calls> {
  readonly #child: ChildProcess;
  readonly #name: string;
  readonly #waiting = new Map<number, { resolve(result: unknown): void; reject(error: Error): void }>();
  #lastId = 0;
  #ended: Error | null = null;

  constructor(program: string, nodeFlags: readonly string[] = []) {
    this.#name = basename(program);
    // Standard output belongs to the table.
    this.#child = spawn(process.execPath, [...nodeFlags, program], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    this.#child.on('message', (reply: Reply) => {
      const waiting = this.#waiting.get(reply.id);
      this.#waiting.delete(reply.id);
      if ('error' in reply) waiting?.reject(new Error(`${this.#name}: ${reply.error}`));
      else waiting?.resolve(reply.result);
    });
    this.#child.once('error', (error) => this.#fail(error));
    this.#child.once('exit', () => this.#fail(new Error(`${this.#name} ended before its answer`)));
  }

  get pid(): number {
    return Number(this.#child.pid);
  }

  call<K extends keyof C & string>(name: K, ...args: Parameters<C[K]>): Promise<Awaited<ReturnType<C[K]>>> {
    return new Promise((resolve, reject) => {
      if (this.#ended !== null) throw this.#ended;
      this.#lastId += 1;
      const id = this.#lastId;
      this.#waiting.set(id, { resolve: resolve as (result: unknown) => void, reject });
      this.#child.send({ id, name, args }, (error) => {
        // The end of the process, which follows, says more than a closed channel.
        if (error !== null) this.#child.kill('SIGKILL');
      });
    });
  }

  /** Kills it: nothing of it is needed. */
  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const gone = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.kill('SIGKILL');
    await gone;
  }

  #fail(error: Error): void {
    this.#ended ??= error;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}
