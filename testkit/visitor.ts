import { setTimeout as pause } from 'node:timers/promises';
import type { RealService } from './real-service.ts';

/** Visits from an address that is never blocked; slow enough to leave the processor to the others. */
export class Visitor {
  readonly #failures: string[] = [];
  readonly #done: Promise<void>;
  #visits = 0;
  #stopping = false;

  constructor(service: RealService, address: string) {
    this.#done = this.#run(service, address);
  }

  async stop(): Promise<{ visits: number; failures: readonly string[] }> {
    this.#stopping = true;
    await this.#done;
    return { visits: this.#visits, failures: this.#failures };
  }

  async #run(service: RealService, address: string): Promise<void> {
    while (!this.#stopping) {
      this.#visits += 1;
      try {
        const status = await service.visit(address);
        if (status !== 200) this.#failures.push(`visit ${this.#visits}: ${status}`);
      } catch (error) {
        this.#failures.push(`visit ${this.#visits}: ${(error as Error).message}`);
      }
      await pause(5);
    }
  }
}
