// Ctrl-C: the program ends at once, and reports what was done and what was not.
import { exitCodes } from './failure.ts';

export class Interruption {
  #report: () => string | null = () => null;

  /** What an interruption would report from now on; null: nothing to report. */
  reports(report: () => string | null): void {
    this.#report = report;
  }

  /**
   * @param end ends the program
   * @returns stops listening
   */
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
