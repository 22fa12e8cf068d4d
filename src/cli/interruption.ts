import { exitCodes } from './failure.ts';

export class Interruption {
  #report: () => string | null = () => null;

  /** Sets what an interruption reports from now on; null: nothing. */
  reports(report: () => string | null): void {
    this.#report = report;
  }

  /** @returns stops listening */
  listen(remark: (text: string) => void, end: (code: number) => void): () => void {
    const onSignal = (): void => {
      const report = this.#report();
      remark(report === null ? '' : `\nproxy-manager: stopped: ${report}`);
      end(exitCodes.interrupted);
    };
    process.on('SIGINT', onSignal);
    return () => {
      process.off('SIGINT', onSignal);
    };
  }
}
