// Staged commands on one connection to the master. Every reply ends in an empty line; half-closing afterwards is not
// needed for the framing, but the end that follows proves that nothing was left over.

import type { Socket } from 'node:net';
import { type CommandObserver, commandNameOf, unobserved } from './command-observer.ts';
import { type Command, PayloadCommand, targetOf, wireText } from './conversation-command.ts';
import {
  type Deadline,
  MasterSocketError,
  millisecondsUntil,
  type SocketFailureReason,
  socketFailureReason,
} from './master-socket-error.ts';
import { ReplyParser } from './reply-parser.ts';

// One call on a conversation: what it sends, and what has come of its replies.

/** Written at once before looking whether the other side reads. */
const WRITE_BLOCK = 64 * 1024;

type LinesSink = (lines: string[]) => void | Promise<void>;

/** One call of send, finish, streamLines or readToEnd. */
interface Turn {
  readonly commands: readonly Command[];
  readonly bodies: string[];
  /** Lines of the reply under way. */
  lines: string[];
  size: number;
  received: boolean;
  /** `performance.now()` at which it was sent, or the last reply had come. */
  since: number;
  readonly sink: LinesSink | null;
  /** What the sink still has to do; the socket is paused meanwhile. */
  sinkWork: Promise<void> | null;
  readonly untilEnd: boolean;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** The sink is called at once; a synchronous failure is a rejection like any other. */
export function attempt(call: () => void | Promise<void>): Promise<void> | undefined {
  try {
    return call() ?? undefined;
  } catch (error) {
    return Promise.reject(error);
  }
}

/** The commands as they go over the wire, in blocks. Throws UnsafeCommandError. */
export function blocksOf(commands: readonly Command[]): string[] {
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

/** A reply that is collected whole may be this long (characters); a longer one is not a reply. */
const MAX_BODY = 8 * 1024 * 1024;
/** How long the end of a connection is waited for when every reply has come; it takes some 50 µs. */
const LEAVE_MS = 100;
/** A timer this late was not late by chance: nothing of this process ran. */
const STOOD_STILL_MS = 20;
/** Of the time lost that way; a request's own two seconds bound it. */
const GIVEN_BACK_MS = 200;
// The master's own words for a worker that is gone or does not take connections. They end in no empty line: 2.6 closes
// after them, 3.0 leaves the connection open until we half-close, and both drop the commands behind.
//   Can't find the target PID matching the prefix '@!99999'
//   Can't connect to the target CLI!
const MASTER_GAVE_UP = /^Can't (find the target PID|connect to the target CLI)/;

/** `unanswered` is the target (`@1`, `@!4711`, null: the master) of a command that was sent and not answered whole. */
export type ConversationEnd = (unanswered: { readonly target: string | null } | null) => void;

export class Conversation {
  readonly #socket: Socket;
  readonly #path: string;
  readonly #onEnd: ConversationEnd;
  #timer: NodeJS.Timeout;
  #leave: NodeJS.Timeout | undefined;
  readonly #parser: ReplyParser;
  readonly #owes: (target: string | null) => boolean;
  readonly #observer: CommandObserver;
  #raw: Buffer[] | null = null;
  #turn: Turn | null = null;
  #over = false;
  #failure: { reason: SocketFailureReason; detail?: string; cause?: unknown } | null = null;
  #onDrain: (() => void) | null = null;

  /** Takes over a connected socket; made by `MasterSocket.converse`. `owes`: who still has an old question to answer. */
  constructor(
    socket: Socket,
    path: string,
    deadline: Deadline,
    onEnd: ConversationEnd,
    owes: (target: string | null) => boolean = () => false,
    observer: CommandObserver = unobserved,
  ) {
    this.#socket = socket;
    this.#path = path;
    this.#onEnd = onEnd;
    this.#owes = owes;
    this.#observer = observer;
    this.#timer = setTimeout(() => this.#expire(deadline), millisecondsUntil(deadline));
    this.#parser = new ReplyParser({ lines: (lines) => this.#lines(lines), end: () => this.#replyEnd() });
    socket.on('data', (bytes) => this.#data(bytes));
    socket.on('end', () => this.#ended());
    socket.on('error', (error) => this.#fail(socketFailureReason(error, true), { cause: error }));
    socket.on('close', () => this.#fail('reset'));
    socket.on('drain', () => this.#onDrain?.());
  }

  /**
   * Sends the commands and returns one body per command, without the closing empty line. Rejects with a
   * MasterSocketError that carries the bodies so far; with UnsafeCommandError before anything is sent.
   */
  async send(commands: readonly Command[]): Promise<string[]> {
    return this.#converse(commands, null, false);
  }

  /** As `send`, then half-closes and waits for the end: the last words of this conversation. */
  async finish(commands: readonly Command[]): Promise<string[]> {
    return this.#converse(commands, null, true);
  }

  /**
   * Hands the lines of one reply over as they come, in batches. While the promise of a batch is pending, the socket is
   * not read. Resolves when the reply was whole and the last batch is done.
   */
  async streamLines(command: Command, onLines: LinesSink): Promise<void> {
    await this.#converse([command], onLines, false);
  }

  /** One command, and everything up to the end of the connection, unframed (`reload` on 3.0). Zero bytes reject. */
  async readToEnd(command: Command): Promise<string> {
    this.#raw = [];
    await this.#converse([command], null, true);
    return Buffer.concat(this.#raw).toString('utf8');
  }

  /** Ends the conversation, whatever its state. */
  close(): void {
    if (this.#over) return;
    if (this.#turn !== null) this.#fail('reset', { detail: 'closed by us before every reply had come' });
    else this.#finishUp();
  }

  #converse(commands: readonly Command[], sink: LinesSink | null, untilEnd: boolean): Promise<string[]> {
    const blocks = blocksOf(commands);
    if (this.#turn !== null) throw new Error('a conversation takes one turn at a time');
    return new Promise((resolve, reject) => {
      const bodies: string[] = [];
      const turn: Turn = {
        commands,
        bodies,
        lines: [],
        size: 0,
        received: false,
        since: performance.now(),
        sink,
        sinkWork: null,
        untilEnd,
        resolve: () => resolve(bodies),
        reject,
      };
      if (this.#over) {
        const failure = this.#failure ?? { reason: 'reset', detail: 'the conversation is over' };
        reject(this.#error(failure.reason, turn, failure));
        return;
      }
      const first = commands[0];
      // A master that does not answer for itself forwards nothing either.
      if (first !== undefined && (this.#owes(null) || this.#owes(targetOf(first)))) {
        this.#finishUp();
        const detail = 'it still owes the answer to an earlier command; nothing was sent';
        reject(this.#error('deadline', turn, { detail }));
        return;
      }
      this.#turn = turn;
      if (commands.length === 0 && !untilEnd) this.#succeed();
      else
        this.#write(blocks, this.#raw !== null || commands.length === 0).catch((error: unknown) =>
          this.#fail('reset', { cause: error }),
        );
    });
  }

  /**
   * The answer may have come while this process stood still itself (a slow fsync of its database): what was lost that way
   * is given back, once and within bounds, before the proxy is blamed.
   */
  #expire(deadline: Deadline): void {
    const late = performance.now() - deadline;
    if (late < STOOD_STILL_MS) this.#fail('deadline');
    else this.#timer = setTimeout(() => this.#fail('deadline'), Math.min(late, GIVEN_BACK_MS));
  }

  async #write(blocks: readonly string[], halfClose: boolean): Promise<void> {
    for (const block of blocks) {
      if (this.#over) return;
      // The proxy stops reading when its answers are not read; we go on reading while we wait here.
      if (!this.#socket.write(block)) await this.#drained();
    }
    if (!halfClose || this.#over) return;
    if (this.#raw === null && this.#turn !== null) this.#takeLeave(this.#turn);
    else this.#socket.end();
  }

  /**
   * Every reply has come; the end is a courtesy. 2.6.12 leaves it out now and then (after 4 of 800 listings of 30,000
   * entries), and what was answered must not fail for that.
   */
  #takeLeave(turn: Turn): void {
    this.#socket.end();
    this.#leave = setTimeout(() => {
      if (this.#turn === turn) this.#succeed();
    }, LEAVE_MS);
  }

  #drained(): Promise<void> {
    return new Promise((resolve) => {
      this.#onDrain = () => {
        this.#onDrain = null;
        resolve();
      };
    });
  }

  #data(bytes: Buffer): void {
    if (this.#over) return;
    if (this.#turn === null) {
      this.#fail('garbled', { detail: 'it speaks without having been asked' });
      return;
    }
    this.#turn.received = true;
    if (this.#raw !== null) {
      this.#raw.push(bytes);
      if (this.#raw.length === 1 && this.#gaveUp(this.#turn, bytes)) return;
      this.#grow(bytes.length);
      return;
    }
    try {
      this.#parser.push(bytes);
    } catch (error) {
      this.#fail('garbled', { detail: (error as Error).message, cause: error });
    }
  }

  /** Read at once: behind an early half-close 3.2 and 3.4 leave the connection open after these words now and then. */
  #gaveUp(turn: Turn, bytes: Buffer): boolean {
    const [line = ''] = bytes.toString('latin1', 0, 200).split('\n', 1);
    if (targetOf(turn.commands[0] ?? '') === null || !MASTER_GAVE_UP.test(line)) return false;
    this.#fail('cut-short', { detail: line });
    return true;
  }

  #grow(by: number): boolean {
    const turn = this.#turn;
    if (turn === null) return false;
    turn.size += by;
    if (turn.size <= MAX_BODY) return true;
    this.#fail('garbled', { detail: `a reply of more than ${MAX_BODY} characters` });
    return false;
  }

  #lines(lines: string[]): void {
    const turn = this.#turn;
    if (this.#over) return;
    if (turn === null || turn.bodies.length === turn.commands.length) {
      this.#fail('garbled', {
        detail: `it says more than it was asked for: ${JSON.stringify(lines[0]?.slice(0, 100))}`,
      });
      return;
    }
    const surrender = lines.find((line) => MASTER_GAVE_UP.test(line));
    if (surrender !== undefined) {
      turn.lines.push(...lines);
      this.#fail('cut-short', { detail: surrender });
      return;
    }
    if (turn.sink !== null) {
      this.#handOver(turn, turn.sink, lines);
      return;
    }
    let size = 0;
    for (const line of lines) {
      turn.lines.push(line);
      size += line.length + 1;
    }
    this.#grow(size);
  }

  #handOver(turn: Turn, sink: LinesSink, lines: string[]): void {
    const work = turn.sinkWork === null ? attempt(() => sink(lines)) : turn.sinkWork.then(() => sink(lines));
    if (work === undefined) return;
    this.#socket.pause();
    const done = work.then(
      () => {
        if (turn.sinkWork !== done) return;
        turn.sinkWork = null;
        if (this.#over) return;
        this.#socket.resume();
        if (turn.bodies.length === turn.commands.length) this.#succeed();
      },
      (error: unknown) => this.#abandon(turn, error),
    );
    turn.sinkWork = done;
  }

  /** The reader of the lines failed: its own error is the result, and the rest of the reply is of no use. */
  #abandon(turn: Turn, error: unknown): void {
    if (this.#turn !== turn) return;
    this.#turn = null;
    turn.reject(error instanceof Error ? error : new Error(String(error)));
    this.#finishUp();
  }

  #replyEnd(): void {
    const turn = this.#turn;
    if (this.#over) return;
    if (turn === null || turn.bodies.length === turn.commands.length) {
      this.#fail('garbled', { detail: 'it says more than it was asked for: an empty line' });
      return;
    }
    this.#answered(turn);
    turn.bodies.push(turn.lines.join('\n'));
    turn.lines = [];
    turn.size = 0;
    if (turn.bodies.length < turn.commands.length) return;
    // Not before the last reply has come: behind an early half-close the master resets one connection in a dozen of
    // 3,000 commands (seen on 2.6.12 and 3.0.11; never without it).
    if (turn.untilEnd) this.#takeLeave(turn);
    else if (turn.sinkWork === null) this.#succeed();
  }

  #ended(): void {
    const turn = this.#turn;
    if (this.#over) return;
    if (turn === null) this.#fail('no-reply');
    else if (!turn.received && turn.commands.length > 0) this.#fail('no-reply');
    else if (this.#raw !== null) this.#succeedRaw(turn);
    else if (turn.bodies.length < turn.commands.length) this.#fail('cut-short');
    else if (this.#parser.remainder !== '') this.#fail('garbled', { detail: 'it says more than it was asked for' });
    else if (turn.untilEnd) this.#succeed();
    else if (turn.sinkWork === null) this.#fail('no-reply');
  }

  /** The next reply, of the command whose turn it is, has come whole. */
  #answered(turn: Turn): void {
    const now = performance.now();
    this.#observer.answered(commandNameOf(turn.commands[turn.bodies.length]!), now - turn.since);
    turn.since = now;
  }

  #succeedRaw(turn: Turn): void {
    this.#answered(turn);
    this.#succeed();
  }

  #succeed(): void {
    const turn = this.#turn;
    if (turn === null) return;
    this.#turn = null;
    if (turn.untilEnd) this.#finishUp();
    turn.resolve();
  }

  #fail(reason: SocketFailureReason, why: { detail?: string; cause?: unknown } = {}): void {
    if (this.#over) return;
    this.#failure = { reason, ...why };
    const turn = this.#turn;
    this.#turn = null;
    const open = turn !== null && turn.bodies.length < turn.commands.length && reason === 'deadline';
    const command = turn?.commands[turn.bodies.length];
    if (command !== undefined) this.#observer.failed(commandNameOf(command), reason);
    this.#finishUp(open && command !== undefined ? { target: targetOf(command) } : null);
    turn?.reject(this.#error(reason, turn, why));
  }

  #error(reason: SocketFailureReason, turn: Turn, why: { detail?: string; cause?: unknown }): MasterSocketError {
    const command = turn.commands[turn.bodies.length] ?? turn.commands.at(-1) ?? '';
    return new MasterSocketError(reason, {
      path: this.#path,
      command: command instanceof PayloadCommand ? command.wire : command,
      responses: turn.bodies,
      partial:
        this.#raw === null ? [...turn.lines, this.#parser.remainder].join('\n') : Buffer.concat(this.#raw).toString(),
      ...why,
    });
  }

  #finishUp(unanswered: { target: string | null } | null = null): void {
    if (this.#over) return;
    this.#over = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#leave);
    this.#onDrain?.();
    this.#socket.destroy();
    this.#onEnd(unanswered);
  }
}
