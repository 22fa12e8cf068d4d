// An open loop: requests become due at a fixed rate. Those for kept connections queue while all are busy, and that time
// counts; the others have a connection each.
import { setImmediate } from 'node:timers/promises';
import { percentile } from './percentile.ts';
import { type RequestKind, type RequestRecord, type Tally, tallyOf } from './traffic-accounting.ts';
import { Connection, type Target } from './traffic-connection.ts';

export interface LoadPlan extends Target {
  readonly keepAlive: { readonly perSecond: number; readonly connections: number };
  readonly fresh: { readonly perSecond: number };
}

export interface LoadReport {
  readonly keepAlive: Tally;
  readonly fresh: Tally;
  readonly all: Tally;
  readonly durationMs: number;
  /** Kept connections that HAProxy closed between two requests. */
  readonly reconnects: number;
  /** How late the generator itself was: its part of a latency. */
  readonly own: { readonly p99: number; readonly longest: number; readonly longestAfterMs: number };
}

export class OpenLoop {
  readonly #plan: LoadPlan;
  readonly #kept: Connection[];
  readonly #idle: Connection[];
  readonly #waiting: number[] = [];
  readonly #records: RequestRecord[] = [];
  readonly #late: number[] = [];
  #latest = { ms: 0, at: 0 };
  #open = 0;
  #began = 0;
  #timer: NodeJS.Timeout | null = null;
  readonly #issued: Record<RequestKind, number> = { 'keep-alive': 0, new: 0 };
  #lastEnded: (() => void) | null = null;

  constructor(plan: LoadPlan) {
    this.#plan = plan;
    this.#kept = Array.from({ length: plan.keepAlive.connections }, () => new Connection(plan, true));
    this.#idle = [...this.#kept];
  }

  /** Opens kept connections with a request each, and rejects if one fails; then the clock starts. */
  async start(): Promise<void> {
    const first = await Promise.all(this.#kept.map((connection) => connection.ask(performance.now())));
    const failure = first.find((one) => one !== null);
    if (failure) throw new Error(`HAProxy did not answer before the load: ${failure.cause}, ${failure.detail}`);
    this.#began = performance.now();
    this.#tick();
  }

  /** Resolves when all due requests have ended. */
  async stop(): Promise<LoadReport> {
    const durationMs = performance.now() - this.#began;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#open > 0) await new Promise<void>((resolve) => (this.#lastEnded = resolve));
    // A connection that HAProxy just closed has no request.
    await setImmediate();
    for (const connection of this.#kept) connection.close();
    const of = (kind: RequestKind): RequestRecord[] => this.#records.filter((record) => record.kind === kind);
    const opened = this.#kept.reduce((sum, connection) => sum + connection.opened, 0);
    return {
      keepAlive: tallyOf(of('keep-alive')),
      fresh: tallyOf(of('new')),
      all: tallyOf(this.#records),
      durationMs,
      reconnects: opened - this.#kept.length,
      own: {
        p99: this.#late.length === 0 ? 0 : percentile(this.#late, 0.99),
        longest: this.#latest.ms,
        longestAfterMs: this.#latest.at,
      },
    };
  }

  #tick(): void {
    const now = performance.now();
    const next = Math.min(
      this.#issueDue('keep-alive', this.#plan.keepAlive.perSecond, now),
      this.#issueDue('new', this.#plan.fresh.perSecond, now),
    );
    this.#timer = setTimeout(() => this.#tick(), Math.max(0, next - performance.now()));
  }

  /** Sends what is due; returns when the next one is. */
  #issueDue(kind: RequestKind, perSecond: number, now: number): number {
    for (;;) {
      const dueAt = this.#began + (this.#issued[kind] * 1_000) / perSecond;
      if (dueAt > now) return dueAt;
      this.#issued[kind] += 1;
      const late = performance.now() - dueAt;
      this.#late.push(late);
      if (late > this.#latest.ms) this.#latest = { ms: late, at: dueAt - this.#began };
      this.#open += 1;
      if (kind === 'new') this.#ask(new Connection(this.#plan, false), kind, dueAt);
      else {
        const connection = this.#idle.shift();
        if (connection === undefined) this.#waiting.push(dueAt);
        else this.#ask(connection, kind, dueAt);
      }
    }
  }

  #ask(connection: Connection, kind: RequestKind, dueAt: number): void {
    const ended = (record: RequestRecord): void => {
      this.#records.push(record);
      this.#open -= 1;
      if (kind === 'new') connection.close();
      else this.#free(connection);
      if (this.#open === 0) this.#lastEnded?.();
    };
    // Never rejects: a failure is an outcome.
    void connection.ask(dueAt).then((failure) => ended({ kind, dueAt, endedAt: performance.now(), failure }));
  }

  #free(connection: Connection): void {
    const dueAt = this.#waiting.shift();
    if (dueAt === undefined) this.#idle.push(connection);
    else this.#ask(connection, 'keep-alive', dueAt);
  }
}
