import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '../testkit/conditions.ts';
import { base, bystander } from './addresses.ts';
import { Background } from './background.ts';
import { check } from './checks.ts';
import { Claims } from './claims.ts';
import { Client } from './client.ts';
import type { ClientContext } from './client-context.ts';
import { CountedRequests } from './counted.ts';
import type { Fault, Struck } from './fault.ts';
import type { Figures } from './judge.ts';
import { Model, permanent } from './model.ts';
import { Orders } from './orders.ts';
import { entriesOf, type FaultStep, type OperationStep, type Program } from './program.ts';
import { Random } from './random.ts';
import { Releases } from './releases.ts';
import { RemainingProcesses } from './remaining-processes.ts';
import { ChaosStack } from './stack.ts';
import { clock, Story } from './story.ts';
import { UnderWay } from './under-way.ts';
import { lastingNetworks } from './upstreams.ts';
import { Windows } from './windows.ts';

export interface RoundResult {
  readonly round: number;
  readonly struck: readonly string[];
  readonly operations: number;
  readonly ms: number;
  /** Milliseconds from the last heal, including the checks. */
  readonly checkedMs: number;
  /** Milliseconds from the last heal; null: never. */
  readonly agreedMs: number | null;
  readonly requests: number;
  readonly slowestFastPathMs: number;
  /** Answers of the fast path that took over two seconds. */
  readonly slowFastPath: number;
  readonly answers: ReadonlyMap<string, number>;
  /** Broken promises. */
  readonly wrong: readonly string[];
  readonly story: readonly string[];
}

/** For a fault that neither strikes nor heals, or a stack that never recovers. */
const faultPatienceMs = 60_000;
/** A longer fault is healed only after the blocks under way are answered. */
const outlastsBlocksMs = 2_000;

/** Work that continues after a heal. */
interface Afterwards {
  readonly name: string;
  readonly ended: Promise<void>;
  /** Call when the others are healed. */
  readonly again?: () => Promise<void>;
}

/** Runs several rounds on one stack. */
export class Arena {
  readonly stack: ChaosStack;
  readonly #faults: ReadonlyMap<string, Fault>;
  readonly #claims = new Claims();
  readonly #trusted = new Model();
  readonly #sites = new Model();
  readonly #upstreams = new Model();
  readonly #remaining = new RemainingProcesses();
  readonly #orders: Orders | null;
  readonly #counted: CountedRequests;

  private constructor(stack: ChaosStack, faults: readonly Fault[]) {
    this.stack = stack;
    this.#counted = new CountedRequests(stack);
    this.#orders = stack.authority === null ? null : new Orders(stack);
    this.#faults = new Map(faults.map((fault) => [fault.name, fault]));
  }

  static async start(
    bin: string,
    faults: readonly Fault[],
    { attached = false, certificates = false } = {},
  ): Promise<Arena> {
    const stack = await ChaosStack.start(bin, attached, certificates);
    try {
      await stack.service.healthy();
      const arena = new Arena(stack, faults);
      await arena.#blockBase();
      return arena;
    } catch (error) {
      await stack.stop();
      throw error;
    }
  }

  async stop(): Promise<void> {
    await this.stack.stop();
  }

  /** Waits for what the rounds left open. Returns what is wrong with it. */
  async finish(): Promise<readonly string[]> {
    const story = new Story();
    await this.#orders?.finish(story);
    await this.#counted.finish(story);
    return story.wrong;
  }

  /** Failures of the stack are part of the result. */
  async run(program: Program): Promise<RoundResult> {
    const story = new Story();
    const windows = new Windows();
    const figures: Figures = { operations: 0, slowestFastPathMs: 0, slowFastPath: 0, answers: new Map() };
    const context: ClientContext = {
      stack: this.stack,
      story,
      windows,
      claims: this.#claims,
      trusted: this.#trusted,
      sites: this.#sites,
      upstreams: this.#upstreams,
      releases: new Releases(),
      underWay: new UnderWay(),
      entries: entriesOf(program.steps),
    };
    const background = new Background(this.stack);
    const pid = this.stack.service.pid;
    const operations = program.steps.filter((step) => step.kind === 'operation');
    const faults = program.steps.filter((step) => step.kind === 'fault');
    const clients = clientsOf(operations).map((steps) => runClient(new Client(context, figures), steps, story.began));
    const ordered = this.#orders?.begin(program.round, story);
    const afterwards = await Promise.all(faults.map((step) => this.#strike(step, context, faults.length > 1)));
    for (const one of afterwards) await one?.again?.();
    await Promise.all(clients);
    await ordered;
    const excusable = faults.some((step) => this.#faults.get(step.fault)?.excuses.api === true);
    if (!excusable && (this.stack.service.pid !== pid || !(await this.stack.serviceRuns()))) {
      story.addBroken('the service died by itself');
    }
    await this.stack
      .relaunch()
      .catch((error: Error) => story.addBroken(`the service does not start: ${error.message}`));
    const healed = clock();
    await this.#untilOver(afterwards, story);
    const agreedMs = await check(context, program, healed);
    await this.#orders?.check(
      story,
      faults.some((step) => this.#faults.get(step.fault)?.excuses.clock === true),
    );
    this.#counted.check(story);
    const { sent, failed } = await background.stop();
    this.#judgeBackground(failed, context, healed);
    await this.#reportRemaining(story);
    return {
      round: program.round,
      struck: faults.filter((_, at) => afterwards[at] !== null).map(({ fault }) => fault),
      operations: figures.operations,
      ms: Math.round(clock() - story.began),
      checkedMs: Math.round(clock() - healed),
      agreedMs: agreedMs === null ? null : Math.round(agreedMs),
      requests: sent,
      slowestFastPathMs: Math.round(figures.slowestFastPathMs),
      slowFastPath: figures.slowFastPath,
      answers: figures.answers,
      wrong: story.wrong,
      story: story.lines(),
    };
  }

  async #blockBase(): Promise<void> {
    const add = base.map((ip_address) => ({ ip_address }));
    const { status, text } = await this.stack.service.call('POST', '/api/blocked-ips/batch', { body: { add } });
    if (status !== 200) throw new Error(`the base was answered ${status}: ${text.slice(0, 500)}`);
    for (const ip of base) this.#claims.manual.settle(ip, permanent);
    if (this.stack.operator !== null) return;
    for (const network of lastingNetworks) this.#upstreams.settle(network, permanent);
  }

  /** Resolves after the heal, before the stack has recovered. */
  async #strike(step: FaultStep, context: ClientContext, besideOthers: boolean): Promise<Afterwards | null> {
    const { story, windows } = context;
    const fault = this.#faults.get(step.fault);
    if (fault === undefined) throw new Error(`there is no fault ${step.fault}`);
    await pause(Math.max(0, story.began + step.at - clock()));
    const begun = clock();
    const window = windows.open(fault.excuses);
    const over = () => window.close();
    let struck: Struck | null;
    try {
      struck = await inTime(fault.strike(this.stack, new Random(step.seed)), `${fault.name} to strike`);
    } catch (error) {
      over();
      // Another fault may have removed its target.
      story.record(begun, `FAULT ${fault.name}`, `missed: ${textOf(error)}`);
      if (!besideOthers) story.addBroken(`${fault.name} could not strike: ${textOf(error)}`);
      return null;
    }
    if (struck === null) {
      over();
      story.record(begun, `FAULT ${fault.name}`, 'nothing to strike');
      return null;
    }
    story.record(begun, `FAULT ${fault.name}`, struck.detail);
    await pause(Math.max(0, begun + step.lasts - clock()));
    if (step.lasts >= outlastsBlocksMs && fault.excuses.api !== true) await this.#answeredUnder(fault.name, context);
    const healing = clock();
    try {
      if (struck.alsoExcuses !== undefined)
        window.alsoExcuse(await inTime(struck.alsoExcuses(), `${fault.name} to check what it did`));
      await inTime(struck.heal(), `${fault.name} to heal`);
      story.record(healing, `HEAL  ${fault.name}`, 'healed');
    } catch (error) {
      if (besideOthers) return this.#healAgain(fault.name, struck, textOf(error), { story, healing, over });
      story.addBroken(`${fault.name} could not be healed: ${textOf(error)}`);
    }
    const ended = this.#recovered(fault, struck).finally(over);
    // Awaited and reported later.
    ended.catch(() => undefined);
    return { name: fault.name, ended };
  }

  /** Promise 3: changes are answered whatever is broken, not when it is repaired. */
  async #answeredUnder(name: string, { underWay, story }: ClientContext): Promise<void> {
    try {
      await inTime(underWay.settled(), `the answer to a block under ${name}`);
    } catch (error) {
      story.addBroken(textOf(error));
    }
  }

  /** Traffic is excused until a new request is served. */
  async #recovered(fault: Fault, struck: Struck): Promise<void> {
    await struck.over?.();
    if (fault.excuses.traffic !== true) return;
    await eventually('HAProxy serves', async () => (await this.stack.service.visit(bystander)) === 200);
  }

  /** A service that refused to start because of another fault is started after that one is healed. */
  #healAgain(
    name: string,
    struck: Struck,
    why: string,
    { story, healing, over }: { story: Story; healing: number; over: () => void },
  ): Afterwards {
    story.record(healing, `HEAL  ${name}`, `not beside the others: ${why}`);
    const again = async (): Promise<void> => {
      const begun = clock();
      try {
        await inTime(struck.heal(), `${name} to heal`);
        story.record(begun, `HEAL  ${name}`, 'healed after the others');
        await struck.over?.();
      } catch (error) {
        story.addBroken(`${name} could not be healed: ${textOf(error)}`);
      } finally {
        over();
      }
    };
    return { name, ended: Promise.resolve(), again };
  }

  async #untilOver(afterwards: readonly (Afterwards | null)[], story: Story): Promise<void> {
    const waiting = afterwards.flatMap((one) => (one === null ? [] : [one]));
    for (const { name, ended } of waiting) {
      try {
        await inTime(ended, `the recovery from ${name}`);
      } catch (error) {
        story.addBroken(textOf(error));
      }
    }
  }

  #judgeBackground(
    failed: readonly { begun: number; ended: number; what: string }[],
    context: ClientContext,
    healed: number,
  ): void {
    const { story, windows } = context;
    const unexcused = failed.filter(({ begun, ended }) => !windows.excuse('traffic', begun, ended));
    for (const { begun, what } of unexcused.slice(0, 5)) {
      const when = `${((begun - story.began) / 1_000).toFixed(3)} s${begun > healed ? ', after the heal' : ''}`;
      story.addBroken(`a request of the background failed (${when}): ${what}`);
    }
    if (unexcused.length > 5) story.addBroken(`and ${unexcused.length - 5} more requests of the background`);
  }

  async #reportRemaining(story: Story): Promise<void> {
    try {
      for (const one of await this.#remaining.look(this.stack.service)) story.addBroken(one);
    } catch (error) {
      story.addBroken(`HAProxy's processes could not be checked: ${(error as Error).message}`);
    }
  }
}

function clientsOf(steps: readonly OperationStep[]): OperationStep[][] {
  const clients = new Map<number, OperationStep[]>();
  for (const step of steps) clients.set(step.client, [...(clients.get(step.client) ?? []), step]);
  return [...clients.values()];
}

async function runClient(client: Client, steps: readonly OperationStep[], began: number): Promise<void> {
  for (const { at, operation } of steps) {
    await pause(Math.max(0, began + at - clock()));
    await client.carryOut(operation);
  }
}

function inTime<T>(work: Promise<T>, what: string): Promise<T> {
  return within(work, faultPatienceMs, what);
}

/** Rejects when the work takes longer; it goes on. */
async function within<T>(work: Promise<T>, ms: number, what: string): Promise<T> {
  const late = new AbortController();
  const limit = pause(ms, undefined, { signal: late.signal }).then(() => {
    throw new Error(`${what} took longer than ${ms / 1_000} s`);
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    late.abort();
    await limit.catch(() => undefined);
  }
}

function textOf(error: unknown): string {
  const { message, cause } = error as Error;
  return `${message}${cause === undefined ? '' : ` (${String(cause)})`}`;
}
