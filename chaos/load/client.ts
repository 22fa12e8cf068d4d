// One API client with its own connection and addresses, one request at a time; judges each answer.
import { DEFAULT_TIMEOUT_MS } from '../../src/client/node-client.ts';
import { HttpClient, type HttpReply } from '../../testkit/load/http-client.ts';
import type { Random } from '../random.ts';
import type { BlockedModel, Presence } from './model.ts';
import type { Tally } from './tally.ts';
import type { Territory } from './territory.ts';
import { visit } from './visitor.ts';

// Only a few members are read.
export type Json = Record<string, unknown>;

export interface Target {
  readonly apiPort: number;
  readonly proxyPort: number;
  readonly key: string;
}

/** Only for what is never answered. */
const patienceMs = 180_000;
/** Like the product's client: after an earlier time-out the operation would go on and undo its later changes. */
const longPatienceMs = DEFAULT_TIMEOUT_MS;
const long: ReadonlySet<string> = new Set([
  'put',
  'batch of 1500',
  // On 2.6 staged, because its removals exceed a group.
  'batch of 500',
  'sync',
  'reload',
  'site',
  'configuration',
]);

/** A reload outlasted the deadline of the change. The load has no other reload or end of HAProxy. */
const reloading = /^(worker is starting|refused|master socket is down \(refused: .*)$/;

/** Whether the only failure is that a worker was not verified before the service's own deadline. */
export function isLate(answer: Json): boolean {
  const failures = (answer.runtime_map_failures ?? []) as readonly { readonly reason: string }[];
  return failures.length > 0 && failures.every(({ reason }) => reloading.test(reason) || /deadline/.test(reason));
}

/** A part of `/health` may time out on a busy machine, or during a long reload (2.6). */
const lateReason =
  /no answer within|not checked|timed out|: deadline$|^master socket: .*a reload under way|^a reload is scheduled: .*refused/;

export function isLateHealth(reasons: readonly string[]): boolean {
  return reasons.length > 0 && reasons.every((reason) => lateReason.test(reason));
}

interface ClientOptions {
  readonly number: number;
  /** No other client changes these one by one. */
  readonly territory: Territory;
  readonly model: BlockedModel;
  readonly random: Random;
  readonly tally: Tally;
  readonly target: Target;
}

export class Client {
  readonly number: number;
  readonly territory: Territory;
  readonly model: BlockedModel;
  readonly random: Random;
  readonly tally: Tally;
  readonly target: Target;
  readonly #options: ClientOptions;
  readonly #http: HttpClient;

  constructor(options: ClientOptions) {
    this.#options = options;
    this.number = options.number;
    this.territory = options.territory;
    this.model = options.model;
    this.random = options.random;
    this.tally = options.tally;
    this.target = options.target;
    this.#http = new HttpClient({ port: options.target.apiPort, key: options.target.key });
  }

  /** Blocked and unblocked at random. */
  get addresses(): readonly string[] {
    return this.territory.atWill;
  }

  with(key: string): Client {
    return new Client({ ...this.#options, target: { ...this.target, key } });
  }

  /** Null, and recorded, without one of the expected answers. */
  async ask(
    operation: string,
    method: string,
    path: string,
    expected: readonly number[],
    options: { readonly body?: unknown; readonly accept?: string } = {},
  ): Promise<Json | null> {
    const body = options.body === undefined ? '' : JSON.stringify(options.body);
    const type = options.body === undefined ? null : 'application/json';
    const reply = await this.send(operation, () => this.#http.request(method, path, type, body, options.accept));
    return reply === null ? null : this.judged(operation, reply, expected);
  }

  async stream(
    operation: string,
    path: string,
    type: string,
    chunks: readonly Buffer[],
    expected: readonly number[],
  ): Promise<Json | null> {
    const reply = await this.send(operation, () => this.#http.stream('PUT', path, type, chunks));
    return reply === null ? null : this.judged(operation, reply, expected);
  }

  /** Unparsed. */
  async text(operation: string, path: string): Promise<string | null> {
    const reply = await this.send(operation, () => this.#http.request('GET', path, null, '', 'text/plain'));
    if (reply === null || this.judged(operation, reply, [200], false) === null) return null;
    return reply.body;
  }

  /** Null, and recorded, without an answer in time. */
  async send(operation: string, request: () => Promise<HttpReply>): Promise<HttpReply | null> {
    const began = performance.now();
    const timer = setTimeout(() => this.#http.close(), long.has(operation) ? longPatienceMs : patienceMs);
    try {
      const reply = await request();
      this.tally.took(operation, performance.now() - began);
      return reply;
    } catch (error) {
      this.tally.wrong(operation, `no answer after ${Math.round(performance.now() - began)} ms: ${String(error)}`);
      return null;
    } finally {
      clearTimeout(timer);
    }
  }

  judged(operation: string, reply: HttpReply, expected: readonly number[], json = true): Json | null {
    if (!expected.includes(reply.status)) {
      this.tally.wrong(operation, `${reply.status}, not ${expected.join(' or ')}: ${reply.body}`);
      return null;
    }
    return json ? { ...(JSON.parse(reply.body) as Json), status_code: reply.status } : {};
  }

  /** Records a difference between `made` (the answer) and `wanted`. */
  expect(operation: string, what: string, made: unknown, wanted: unknown): void {
    if (JSON.stringify(made) === JSON.stringify(wanted)) return;
    this.tally.wrong(operation, `${what}: ${JSON.stringify(made)}, not ${JSON.stringify(wanted)}`);
  }

  /** Compares an answer with the model before and after: a `PUT` may have begun or ended in between. */
  expectSeen(operation: string, address: string, before: Presence, seen: Presence): void {
    const after = this.model.of(address);
    if (!this.tally.mayJudge(before === after && before !== 'either')) return;
    if (before !== seen) this.tally.wrong(operation, `${address} is ${seen}, and has to be ${before}`);
  }

  /** Verified in every worker, or late: then the answer must say so. The end of the load checks the repair. */
  expectProved(operation: string, answer: Json): void {
    if (answer.runtime_map_updated === true) return;
    if (isLate(answer)) this.tally.late += 1;
    else this.tally.wrong(operation, `not seen in every worker: ${JSON.stringify(answer.runtime_map_failures)}`);
  }

  /** Null, and recorded, without an answer. */
  async visit(from: string, operation = 'visit'): Promise<number | null> {
    const began = performance.now();
    try {
      const status = await visit(this.target.proxyPort, from);
      this.tally.took(operation, performance.now() - began);
      return status;
    } catch (error) {
      this.tally.wrong(operation, `no answer after ${Math.round(performance.now() - began)} ms: ${String(error)}`);
      return null;
    }
  }

  close(): void {
    this.#http.close();
  }
}
