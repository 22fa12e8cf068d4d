// Each client runs operations with a short pause; the first free one takes an operation that is due.
import { setTimeout as pause } from 'node:timers/promises';
import { Random } from '../random.ts';
import { Client, type Target } from './client.ts';
import { type Heavy, heavyOperations, Shared } from './heavy-operations.ts';
import { light, lightNames, type Operation } from './light-operations.ts';
import { BlockedModel, type Presence } from './model.ts';
import { type OperationFigures, Tally, type Wrong } from './tally.ts';
import { crowd, territoryOf } from './territory.ts';

export interface ClientsOrder extends Target {
  readonly clients: number;
  readonly seconds: number;
  /** Generated entries that are already in the set: `address(0)` and so on. */
  readonly entries: number;
  readonly seed: number;
  /** Average time between an answer and the next request. */
  readonly thinkMs: number;
}

export interface Progress {
  readonly done: number;
  readonly wrongTotal: number;
  /** Milliseconds of blocks and unblocks since the last progress. */
  readonly recent: ReturnType<Tally['recent']>;
  readonly underWay: number;
}

export interface ClientsReport {
  readonly seconds: number;
  readonly done: number;
  readonly judged: number;
  readonly unjudged: number;
  /** Changes that were not verified in every worker before the deadline. */
  readonly late: number;
  readonly wrongTotal: number;
  readonly wrongs: readonly Wrong[];
  readonly operations: readonly OperationFigures[];
  /** Expected state. */
  readonly addresses: readonly (readonly [address: string, presence: Presence])[];
  /** Null: the outcome of a `PUT` is unknown. */
  readonly baseFrom: number | null;
}

/** A short load also runs every operation this often, however slow the machine. */
const leastRounds = 2;
/** Only for what never completes. */
const completionMs = 600_000;

export class Clients {
  readonly #order: ClientsOrder;
  readonly #tally = new Tally();
  readonly #model: BlockedModel;
  readonly #shared: Shared;
  readonly #clients: Client[];
  readonly #due: { readonly heavy: Heavy; readonly everyMs: number; at: number; runs: number; underWay: boolean }[];
  #underWay = 0;
  #until = Number.POSITIVE_INFINITY;

  constructor(order: ClientsOrder) {
    this.#order = order;
    const numbers = Array.from({ length: order.clients }, (_, index) => index);
    const crowds = { staged: crowd(1, 1_500), grouped: crowd(2, 500) };
    const territories = numbers.map(territoryOf);
    this.#model = new BlockedModel([
      ...territories.flatMap(({ atWill, guest, passing }) => [...atWill, guest, passing]),
      ...crowds.staged,
      ...crowds.grouped,
    ]);
    this.#shared = new Shared(order.entries, this.#model, crowds);
    const random = new Random(order.seed);
    this.#clients = numbers.map(
      (number) =>
        new Client({
          number,
          territory: territories[number]!,
          model: this.#model,
          random: random.fork(),
          tally: this.#tally,
          target: order,
        }),
    );
    const heavies = heavyOperations(this.#shared);
    this.#due = heavies.map((heavy, index) => {
      const everyMs = Math.min(heavy.everySeconds, order.seconds / (leastRounds + 1)) * 1_000;
      return {
        heavy,
        everyMs,
        at: performance.now() + (everyMs * (index + 1)) / (heavies.length + 1),
        runs: 0,
        underWay: false,
      };
    });
  }

  progress(): Progress {
    const { done, wrongTotal } = this.#tally;
    return { done, wrongTotal, recent: this.#tally.recent(), underWay: this.#underWay };
  }

  async run(): Promise<ClientsReport> {
    this.#until = performance.now() + this.#order.seconds * 1_000;
    await Promise.all(this.#clients.map((client) => this.#work(client)));
    const { seconds, done, judged, unjudged, late, wrongTotal, wrongs } = this.#tally;
    for (const client of this.#clients) client.close();
    return {
      seconds,
      done,
      judged,
      unjudged,
      late,
      wrongTotal,
      wrongs,
      operations: this.#tally.figures(),
      addresses: [...this.#model.addresses()].map((address) => [address, this.#model.of(address)] as const),
      baseFrom: this.#shared.baseFrom,
    };
  }

  async #work(client: Client): Promise<void> {
    const until = this.#until;
    // Spreads the starts.
    await pause(client.random.next() * this.#order.thinkMs);
    while (performance.now() < until || (this.#lacksSome() && performance.now() < until + completionMs)) {
      this.#underWay += 1;
      try {
        await this.#next(client);
      } catch (error) {
        this.#tally.wrong('client', error instanceof Error ? String(error.stack) : String(error));
      } finally {
        this.#underWay -= 1;
      }
      await pause(client.random.next() * 2 * this.#order.thinkMs);
    }
  }

  /** Whether an operation ran too rarely so far. */
  #lacksSome(): boolean {
    return this.#due.some(({ runs }) => runs < leastRounds) || lightNames.some((name) => !this.#tally.has(name));
  }

  async #next(client: Client): Promise<void> {
    const now = performance.now();
    // After its time only what ran too rarely: the service limits some operations by the minute.
    const wanted = this.#due.filter(({ runs }) => now < this.#until || runs < leastRounds);
    const due = wanted.find((one) => one.at <= now && !one.underWay);
    if (due === undefined) {
      await this.#light(client)(client);
      return;
    }
    due.at = now + due.everyMs;
    due.underWay = true;
    try {
      await due.heavy.run(client);
    } finally {
      due.underWay = false;
      due.runs += 1;
    }
  }

  #light(client: Client): Operation {
    const whole = light.reduce((sum, [share]) => sum + share, 0);
    let at = client.random.next() * whole;
    for (const [share, operation] of light) {
      at -= share;
      if (at < 0) return operation;
    }
    return light[0]![1];
  }
}
