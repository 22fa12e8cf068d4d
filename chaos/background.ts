// Clients that are never blocked: none of their requests may fail.
import { Agent } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { bystander, keptBystander } from './addresses.ts';
import type { ChaosStack } from './stack.ts';
import { clock } from './story.ts';
import { type VisitedFrontEnd, visitFrontEnd } from './visited-front-end.ts';

interface FailedRequest {
  readonly begun: number;
  readonly ended: number;
  readonly what: string;
}

const everyMs = 8;

/** One client with a connection per request, at each front end in turn, and one with a kept connection. */
export class Background {
  readonly #stack: ChaosStack;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  readonly #failed: FailedRequest[] = [];
  readonly #done: Promise<unknown>;
  #sent = 0;
  #over = false;

  constructor(stack: ChaosStack) {
    this.#stack = stack;
    this.#done = Promise.all([this.#run(bystander, null), this.#run(keptBystander, this.#agent)]);
  }

  async stop(): Promise<{ sent: number; failed: readonly FailedRequest[] }> {
    this.#over = true;
    await this.#done;
    this.#agent.destroy();
    return { sent: this.#sent, failed: this.#failed };
  }

  async #run(from: string, agent: Agent | null): Promise<void> {
    for (let n = 0; !this.#over; n += 1) {
      const begun = clock();
      const { frontEnds, service } = this.#stack;
      const frontEnd = frontEnds[agent === null ? n % frontEnds.length : 0] as VisitedFrontEnd;
      const answer = await visitFrontEnd(service, frontEnd, from, agent === null ? {} : { agent }).then(
        (status) => (status === 200 ? null : String(status === 0 ? 'closed without an answer' : status)),
        (error: Error) => error.message,
      );
      this.#sent += 1;
      if (answer !== null) {
        const connection = agent === null ? 'a new connection' : 'a kept connection';
        this.#failed.push({ begun, ended: clock(), what: `${from} at ${frontEnd.name} on ${connection}: ${answer}` });
      }
      await pause(everyMs);
    }
  }
}
