// Staged commands on one connection to the master: socket, deadline and flow control. exchange.ts interprets the bytes.
//
// Every reply ends in an empty line. Half-closing is not needed for the framing, but the end that follows proves that
// nothing is left unread.

import type { Socket } from 'node:net';
import { yieldToLoop } from '../../concurrency/pause.ts';
import { type CommandObserver, commandNameOf, unobserved } from './command-observer.ts';
import { type Command, repliesLate, targetOf, WorkerLine, wireText } from './conversation-command.ts';
import { Exchange, type ExchangeFailure } from './exchange.ts';
import { type Deadline, millisecondsUntil, socketFailureReason } from './master-socket-error.ts';
import { SilentTargets } from './silent-targets.ts';
import { UnfinishedLine } from './unfinished-line.ts';

const WRITE_BLOCK = 64 * 1024;
/** How long to wait for the end of a connection once every reply has come; it takes some 50 µs. */
const END_WAIT_MS = 100;
const NOT_SENT = 'an earlier command is still unanswered; nothing was sent';
/** A timer this late: this process was suspended or blocked. */
const BLOCKED_MS = 20;
/** The most of that lost time to add; a request's own two seconds bound it. */
const EXTENSION_MS = 200;
/**
 * Work on a streamed reply after which the event loop turns. A listing of 30 MB comes as fast as it is read, and libuv
 * would read up to 2 MB of it before anything else: a block makes some six round trips, and each would wait for that.
 */
const SLICE_MS = 2;

type LinesSink = (lines: string[], reply: number) => void | Promise<void>;

/** A command that was sent and not fully answered by its deadline. */
interface UnansweredCommand {
  /** `@1`, `@!4711`; null: the master. */
  readonly target: string | null;
  /** It belongs to this line, which still takes effect as a whole. */
  readonly line: UnfinishedLine | null;
}

export type ConversationEnd = (unanswered: UnansweredCommand | null) => void;

interface ConversationDeps {
  readonly socket: Socket;
  readonly path: string;
  readonly deadline: Deadline;
  readonly onEnd: ConversationEnd;
  /** Whether an earlier command to this target (null: the master) is still unanswered. */
  readonly isUnanswered?: (target: string | null) => boolean;
  /** Shared by all conversations whose calls wait for each other. */
  readonly silent?: SilentTargets;
  readonly observer?: CommandObserver;
  /** Whether others get a turn while a long reply is read. */
  readonly sliced?: boolean;
}

interface Manner {
  readonly untilEnd?: boolean;
  readonly raw?: boolean;
  readonly sink?: LinesSink;
  /** Sent behind the commands. */
  readonly line?: WorkerLine | undefined;
}

interface Call {
  readonly blocks: readonly string[];
  readonly raw: boolean;
  readonly untilEnd: boolean;
  readonly endsInLine: boolean;
  readonly streamed: boolean;
  /** The worker that its commands are for, and which of them is the first; null: only the master's own. */
  readonly worker: { readonly target: string; readonly first: number; readonly late: boolean } | null;
  sent: boolean;
  /** In ms of `performance.now()`: when it was sent, or the last reply was complete. */
  since: number;
  /** The caller's work on the lines handed over; the socket is paused meanwhile. */
  sinkWork: Promise<void> | null;
  readonly resolve: (bodies: string[]) => void;
  readonly reject: (error: Error) => void;
}

export class Conversation {
  readonly #deps: ConversationDeps;
  readonly #observer: CommandObserver;
  readonly #exchange = new Exchange((command) => this.#replied(command));
  readonly #silent: SilentTargets;
  /** The worker that is silent because of this conversation. */
  #awaited: string | null = null;
  #stopWaiting: (() => void) | undefined;
  #timer: NodeJS.Timeout;
  #leave: NodeJS.Timeout | undefined;
  #call: Call | null = null;
  #over = false;
  #failure: ExchangeFailure = { reason: 'reset', detail: 'the conversation has ended' };
  #onDrain: (() => void) | null = null;
  /** On replies, since the event loop last got a turn. */
  #workedMs = 0;

  constructor(deps: ConversationDeps) {
    this.#deps = deps;
    this.#observer = deps.observer ?? unobserved;
    this.#silent = deps.silent ?? new SilentTargets();
    this.#timer = setTimeout(() => this.#expire(), millisecondsUntil(deps.deadline));
    const { socket } = deps;
    socket.on('data', (bytes) => this.#data(bytes));
    socket.on('end', () => this.#ended());
    socket.on('error', (error) => this.#fail({ reason: socketFailureReason(error, true), cause: error }));
    socket.on('close', () => this.#fail({ reason: 'reset' }));
    socket.on('drain', () => this.#onDrain?.());
  }

  /**
   * Sends the commands and returns one body per command, without the closing empty line. Rejects with a
   * MasterSocketError that carries the bodies so far; with UnsafeCommandError before anything is sent.
   */
  async send(commands: readonly Command[]): Promise<string[]> {
    return await this.#converse(commands, {});
  }

  /**
   * As `send`, then half-closes and waits for the end: the last commands of this conversation.
   * @param line sent last; its replies follow those of the commands
   */
  async finish(commands: readonly Command[], line?: WorkerLine): Promise<string[]> {
    return await this.#converse(commands, { untilEnd: true, line });
  }

  /**
   * Hands the lines of one reply over as they come, in batches. While the promise of a batch is pending, the socket is
   * not read. Resolves when the reply is complete and the last batch is done.
   */
  async streamLines(command: Command, sink: LinesSink): Promise<void> {
    await this.#converse([command], { sink });
  }

  /** As `streamLines`, for several commands; the sink gets the number of the reply, from 0, with its lines. */
  async streamReplies(commands: readonly Command[] | WorkerLine, sink: LinesSink): Promise<void> {
    if (commands instanceof WorkerLine) await this.#converse([], { sink, line: commands });
    else await this.#converse(commands, { sink });
  }

  /** One command, and everything up to the end of the connection, unframed (`reload` on 3.0). Zero bytes reject. */
  async readToEnd(command: Command): Promise<string> {
    const [reply = ''] = await this.#converse([command], { untilEnd: true, raw: true });
    return reply;
  }

  close(): void {
    if (this.#over) return;
    if (this.#call === null) this.#finishUp();
    else this.#fail({ reason: 'reset', detail: 'closed by this service before every reply was complete' });
  }

  #converse(commands: readonly Command[], { untilEnd = false, raw = false, sink, line }: Manner): Promise<string[]> {
    const blocks = blocksOf(commands);
    if (line !== undefined) blocks.push(line.wire);
    const all = line === undefined ? commands : [...commands, ...line.commands];
    if (this.#call !== null) throw new Error('a conversation takes one call at a time');
    const first = all.findIndex((command) => targetOf(command) !== null);
    const command = all[first] ?? '';
    const target = targetOf(command);
    const worker = target === null ? null : { target, first, late: repliesLate(command) };
    return new Promise((resolve, reject) => {
      const since = performance.now();
      const endsInLine = line !== undefined;
      const streamed = sink !== undefined;
      const answers = { resolve, reject };
      const asked = { blocks, raw, untilEnd, endsInLine, streamed, worker };
      const call: Call = { ...asked, since, sent: false, sinkWork: null, ...answers };
      const onLines =
        sink === undefined
          ? {}
          : { onLines: (lines: string[], reply: number) => this.#handOver(call, sink, lines, reply) };
      this.#exchange.begin(all, { raw, ...onLines });
      if (this.#over) return reject(this.#error(this.#failure));
      this.#call = call;
      if (all.length > 0) this.#begin(call);
      else if (untilEnd) this.#awaitEnd(call);
      else this.#succeed();
    });
  }

  /** Sends the call, after the worker's reply to an earlier one has begun. */
  #begin(call: Call): void {
    if (this.#over) return;
    const { isUnanswered = () => false } = this.#deps;
    const { worker } = call;
    // A master that does not answer itself forwards nothing either.
    if ([null, worker?.target ?? null].some(isUnanswered)) {
      this.#fail({ reason: 'deadline', detail: NOT_SENT });
      return;
    }
    if (worker !== null && this.#silent.has(worker.target)) {
      this.#stopWaiting = this.#silent.wait(worker.target, () => this.#begin(call));
      return;
    }
    call.sent = true;
    call.since = performance.now();
    if (worker !== null && !worker.late) {
      this.#awaited = worker.target;
      this.#silent.sent(worker.target);
    }
    this.#write(call.blocks, call.raw).catch((error: unknown) => this.#fail({ reason: 'reset', cause: error }));
  }

  /** @param replies how many were complete before the last bytes, which belong to the next one */
  #heard(replies: number): void {
    const first = this.#call?.worker?.first;
    if (this.#awaited === null || (first !== undefined && replies < first)) return;
    const target = this.#awaited;
    this.#awaited = null;
    this.#silent.heard(target);
  }

  /**
   * The reply may have come while this process was blocked (a slow fsync of its database): the lost time is added once,
   * within bounds, before reporting that HAProxy missed the deadline.
   */
  #expire(): void {
    const late = performance.now() - this.#deps.deadline;
    if (late < BLOCKED_MS) this.#fail({ reason: 'deadline' });
    else this.#timer = setTimeout(() => this.#fail({ reason: 'deadline' }), Math.min(late, EXTENSION_MS));
  }

  async #write(blocks: readonly string[], halfClose: boolean): Promise<void> {
    for (const block of blocks) {
      if (this.#over) return;
      // HAProxy stops reading while its replies are not read; they are read during this wait.
      if (!this.#deps.socket.write(block)) await this.#drained();
    }
    if (halfClose && !this.#over) this.#deps.socket.end();
  }

  #drained(): Promise<void> {
    return new Promise((resolve) => {
      this.#onDrain = () => {
        this.#onDrain = null;
        resolve();
      };
    });
  }

  /**
   * Every reply is complete, so a missing end does not fail the call: 2.6.12 sometimes omits it (after 4 of 800
   * listings of 30,000 entries).
   */
  #awaitEnd(call: Call): void {
    this.#deps.socket.end();
    this.#leave = setTimeout(() => {
      if (this.#call === call) this.#succeed();
    }, END_WAIT_MS);
  }

  #data(bytes: Buffer): void {
    if (this.#over) return;
    const call = this.#call;
    if (call === null) {
      this.#fail({ reason: 'garbled', detail: 'it sent data without a command' });
      return;
    }
    const began = performance.now();
    const wasComplete = this.#exchange.isComplete;
    const repliesBefore = this.#exchange.bodies.length;
    const failure = this.#exchange.receive(bytes);
    this.#heard(Math.max(repliesBefore, this.#exchange.bodies.length - 1));
    // Closed by the caller's sink.
    if (this.#over) return;
    if (!wasComplete && this.#exchange.isComplete) {
      // Only after the last reply: behind an early half-close the master resets one connection in a dozen of 3,000
      // commands (seen on 2.6.12 and 3.0.11; never without it).
      if (call.untilEnd) this.#awaitEnd(call);
      else if (call.sinkWork === null) this.#succeed();
    }
    if (failure !== null) this.#fail(failure);
    else if (call.streamed && this.#deps.sliced === true) this.#rest(call, performance.now() - began);
  }

  /** Reads on in the next turn of the event loop. A sink that is still busy has paused the socket already. */
  #rest(call: Call, workedMs: number): void {
    this.#workedMs += workedMs;
    if (this.#workedMs < SLICE_MS || this.#exchange.isComplete || call.sinkWork !== null || this.#over) return;
    this.#workedMs = 0;
    this.#deps.socket.pause();
    void yieldToLoop().then(() => this.#deps.socket.resume());
  }

  #handOver(call: Call, sink: LinesSink, lines: string[], reply: number): void {
    if (this.#over) return;
    const give = () => sink(lines, reply);
    const work = call.sinkWork === null ? attempt(give) : call.sinkWork.then(give);
    if (work === undefined) return;
    this.#deps.socket.pause();
    const done = work.then(
      () => {
        if (call.sinkWork !== done) return;
        call.sinkWork = null;
        if (this.#over) return;
        this.#deps.socket.resume();
        if (this.#exchange.isComplete) this.#succeed();
      },
      (error: unknown) => this.#abandon(call, error),
    );
    call.sinkWork = done;
  }

  /** The sink failed: its own error is the result, and the rest of the reply is not needed. */
  #abandon(call: Call, error: unknown): void {
    if (this.#call !== call) return;
    this.#call = null;
    call.reject(error instanceof Error ? error : new Error(String(error)));
    this.#finishUp();
  }

  #ended(): void {
    if (this.#over) return;
    const call = this.#call;
    const failure = call === null ? null : this.#exchange.end();
    if (failure !== null) this.#fail(failure);
    else if (call?.untilEnd === true) this.#succeed();
    else if (call === null || call.sinkWork === null) this.#fail({ reason: 'no-reply' });
  }

  #replied(command: Command): void {
    const call = this.#call;
    if (call === null) return;
    const now = performance.now();
    this.#observer.answered(commandNameOf(command), now - call.since);
    call.since = now;
  }

  #succeed(): void {
    const call = this.#call;
    if (call === null) return;
    this.#call = null;
    if (call.untilEnd) this.#finishUp();
    call.resolve(this.#exchange.bodies);
  }

  #fail(failure: ExchangeFailure): void {
    if (this.#over) return;
    const call = this.#call;
    this.#call = null;
    const isWaiting = call?.worker != null && !call.sent;
    if (isWaiting && failure.reason === 'deadline') failure = { ...failure, detail: NOT_SENT };
    this.#failure = failure;
    const awaited = call === null || isWaiting ? undefined : this.#exchange.awaited;
    if (awaited !== undefined) this.#observer.failed(commandNameOf(awaited), failure.reason);
    const error = this.#error(failure);
    if (awaited === undefined || failure.reason !== 'deadline') this.#finishUp();
    else this.#abandonUnanswered(targetOf(awaited), call?.endsInLine === true);
    call?.reject(error);
  }

  #error(failure: ExchangeFailure): Error {
    return this.#exchange.error(this.#deps.path, failure);
  }

  /** Commands of the master that precede a line are dropped with it if they are unanswered. */
  #abandonUnanswered(target: string | null, endsInLine: boolean): void {
    const line = endsInLine && target !== null ? new UnfinishedLine(this.#deps.socket, this.#exchange) : null;
    this.#finishUp({ target, line });
  }

  #finishUp(unanswered: UnansweredCommand | null = null): void {
    if (this.#over) return;
    this.#over = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#leave);
    this.#onDrain?.();
    this.#stopWaiting?.();
    if (unanswered?.line == null) this.#deps.socket.destroy();
    this.#deps.onEnd(unanswered);
    // After `onEnd`, so that a call waiting for this worker learns whether it left a command unanswered.
    if (this.#awaited !== null) this.#silent.heard(this.#awaited);
    this.#awaited = null;
  }
}

/** Converts a synchronous failure into a rejection. */
function attempt(call: () => void | Promise<void>): Promise<void> | undefined {
  try {
    return call() ?? undefined;
  } catch (error) {
    return Promise.reject(error);
  }
}

/** In blocks for the socket. Throws UnsafeCommandError. */
function blocksOf(commands: readonly Command[]): string[] {
  const blocks: string[] = [];
  let block = '';
  for (const command of commands) {
    block += wireText(command);
    if (block.length < WRITE_BLOCK) continue;
    blocks.push(block);
    block = '';
  }
  if (block !== '') blocks.push(block);
  return blocks;
}
