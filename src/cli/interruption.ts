// Ctrl-C: the program ends at once, and says what was done and what was not.
import { exitCodes } from './failure.ts';

export class Interruption {
  #told: () => string | null = () => null;

  /** What is true from now on, should it end here; null: nothing that anybody has to be told. */
  says(told: () => string | null): void {
    this.#told = told;
  }

  /** @param end ends the program */
  listen(remark: (text: string) => void, end: (code: number) => void): void {
    process.on('SIGINT', () => {
      const told = this.#told();
      remark(told === null ? '' : `\nproxy-manager: stopped: ${told}`);
      end(exitCodes.interrupted);
    });
  }
}
