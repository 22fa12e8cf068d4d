import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import type { LoadAnswer, LoadOrder } from './traffic-load.ts';
import type { LoadPlan, LoadReport } from './traffic-schedule.ts';

export class LoadGenerator {
  readonly #child: ChildProcess;
  readonly #ended: Promise<void>;

  private constructor(child: ChildProcess) {
    this.#child = child;
    this.#ended = new Promise((resolve) => child.once('exit', () => resolve()));
  }

  static async start(): Promise<LoadGenerator> {
    const child = fork(join(import.meta.dirname, 'traffic-load.ts'), { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    await new Promise((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', reject);
    });
    return new LoadGenerator(child);
  }

  /** Loads during `work` and `tailMs` longer: freed memory and ending workers count too. */
  async during<T>(
    plan: LoadPlan,
    tailMs: number,
    work: () => Promise<T>,
  ): Promise<{ readonly load: LoadReport; readonly result: T; readonly workMs: number }> {
    await this.#order({ kind: 'begin', plan });
    let result: T;
    const began = performance.now();
    let workMs: number;
    try {
      result = await work();
      workMs = performance.now() - began;
      await new Promise((resolve) => setTimeout(resolve, tailMs));
    } catch (error) {
      await this.#order({ kind: 'end' });
      throw error;
    }
    const answer = await this.#order({ kind: 'end' });
    if (answer.kind !== 'report') throw new Error(`the load generator answered ${answer.kind}, not a report`);
    return { load: answer.report, result, workMs };
  }

  async stop(): Promise<void> {
    if (this.#child.connected) this.#child.disconnect();
    await this.#ended;
  }

  #order(order: LoadOrder): Promise<LoadAnswer> {
    return new Promise((resolve, reject) => {
      const finish = (settle: () => void): void => {
        this.#child.off('message', heard);
        this.#child.off('exit', died);
        settle();
      };
      const heard = (answer: LoadAnswer): void =>
        finish(() => (answer.kind === 'failed' ? reject(new Error(answer.message)) : resolve(answer)));
      const died = (code: number | null): void =>
        finish(() => reject(new Error(`the load generator ended with ${code}`)));
      this.#child.once('message', heard);
      this.#child.once('exit', died);
      this.#child.send(order, (error) => {
        if (error !== null) finish(() => reject(error));
      });
    });
  }
}
