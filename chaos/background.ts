// Clients that have nothing to do with the blocked set: none of their requests may fail.
import { Agent } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { RealService } from '../testkit/real-service.ts';
import { bystander, keptBystander } from './addresses.ts';
import { clock } from './story.ts';

export interface FailedRequest {
  readonly begun: number;
  readonly ended: number;
  readonly what: string;
}

const everyMs = 8;

/** One client with a connection for each request, and one that keeps its connection. */
export class Background {
  readonly #service: RealService;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  readonly #failed: FailedRequest[] = [];
  readonly #done: Promise<unknown>;
  #sent = 0;
  #over = false;

  constructor(service: RealService) {
    this.#service = service;
    this.#done = Promise.all([this.#run(bystander, null), this.#run(keptBystander, this.#agent)]);
  }

  async stop(): Promise<{ sent: number; failed: readonly FailedRequest[] }> {
    this.#over = true;
    await this.#done;
    this.#agent.destroy();
    return { sent: this.#sent, failed: this.#failed };
  }

  async #run(from: string, agent: Agent | null): Promise<void> {
    while (!this.#over) {
      const begun = clock();
      const answer = await this.#service.visit(from, agent === null ? {} : { agent }).then(
        (status) => (status === 200 ? null : String(status === 0 ? 'closed without an answer' : status)),
        (error: Error) => error.message,
      );
      this.#sent += 1;
      if (answer !== null) {
        const connection = agent === null ? 'a new connection' : 'a kept connection';
        this.#failed.push({ begun, ended: clock(), what: `${from} on ${connection}: ${answer}` });
      }
      await pause(everyMs);
    }
  }
}
