// The protocol state of one connection to the master: the commands sent, and the replies received. Bytes in, failures
// out; it has no socket and no timer.
import { type Command, SecretPayload, shownText, targetOf } from './conversation-command.ts';
import { MasterSocketError, type SocketFailureReason } from './master-socket-error.ts';
import { ReplyParser } from './reply-parser.ts';

/** Characters; a longer one is not a reply. */
const MAX_BODY = 8 * 1024 * 1024;
// The master's own text for a worker that is gone or does not accept connections. It ends in no empty line: 2.6 closes
// after it, 3.0 leaves the connection open until we half-close, and both drop the commands behind.
// Can't find the target PID matching the prefix '@!99999'
// Can't connect to the target CLI!
const MASTER_GAVE_UP = /^Can't (find the target PID|connect to the target CLI)/;

export interface ExchangeFailure {
  readonly reason: SocketFailureReason;
  readonly detail?: string;
  readonly cause?: unknown;
}

export interface Reading {
  /** Receives the lines of the replies instead of collecting them. `reply` counts the commands, from 0. */
  readonly onLines?: (lines: string[], reply: number) => void;
  /** Everything up to the end of the connection is one reply, empty lines included. */
  readonly raw?: boolean;
}

export class Exchange {
  /** Called for each complete reply, with its command. */
  readonly #onReply: (command: Command) => void;
  readonly #parser = new ReplyParser({
    lines: (lines) => this.#takeLines(lines),
    end: () => this.#takeReplyEnd(),
  });
  #commands: readonly Command[] = [];
  /** Of all calls: what HAProxy repeats may come with the replies of the next one. */
  readonly #secrets: SecretPayload[] = [];
  #onLines: Reading['onLines'] | null = null;
  #bodies: string[] = [];
  #lines: string[] = [];
  #size = 0;
  #raw: Buffer[] | null = null;
  #received = false;
  #failure: ExchangeFailure | null = null;

  constructor(onReply: (command: Command) => void) {
    this.#onReply = onReply;
  }

  /** The previous commands are complete. */
  begin(commands: readonly Command[], { onLines, raw = false }: Reading): void {
    this.#commands = commands;
    this.#secrets.push(...commands.filter((command) => command instanceof SecretPayload));
    this.#onLines = onLines ?? null;
    this.#bodies = [];
    this.#lines = [];
    this.#size = 0;
    this.#raw = raw ? [] : null;
    this.#received = false;
  }

  /** The complete replies, one per command, without the closing empty line. */
  get bodies(): string[] {
    return this.#bodies;
  }

  /** The first command without a complete reply. */
  get awaited(): Command | undefined {
    return this.#commands[this.#bodies.length];
  }

  /** Every command has its reply. A raw reply is complete only at the end of the connection. */
  get isComplete(): boolean {
    return this.#bodies.length === this.#commands.length;
  }

  receive(bytes: Buffer): ExchangeFailure | null {
    this.#received = true;
    if (this.#raw !== null) return this.#receiveRaw(this.#raw, bytes);
    try {
      this.#parser.push(bytes);
    } catch (error) {
      return { reason: 'garbled', detail: (error as Error).message, cause: error };
    }
    return this.#failure;
  }

  /** Null: the connection ended after complete replies. */
  end(): ExchangeFailure | null {
    const { awaited } = this;
    if (!this.#received && awaited !== undefined) return { reason: 'no-reply' };
    if (this.#raw !== null && awaited !== undefined) {
      this.#onReply(awaited);
      this.#bodies.push(this.#partial);
      return null;
    }
    if (awaited !== undefined) return { reason: 'cut-short' };
    return this.#parser.remainder === '' ? null : unrequested('');
  }

  error(path: string, failure: ExchangeFailure): MasterSocketError {
    const command = this.awaited ?? this.#commands.at(-1) ?? '';
    return new MasterSocketError(failure.reason, {
      path,
      command: shownText(command),
      // A copy: the replies of a line may still come.
      responses: [...this.#bodies],
      partial: this.#partial,
      ...failure,
    });
  }

  /** What was received of the incomplete reply. */
  get #partial(): string {
    if (this.#raw !== null) return this.#withoutKeys(Buffer.concat(this.#raw).toString('utf8'));
    return this.#withoutKeys([...this.#lines, this.#parser.remainder].join('\n'));
  }

  #withoutKeys(reply: string): string {
    return this.#secrets.reduce((text, secret) => secret.withoutKey(text), reply);
  }

  #receiveRaw(raw: Buffer[], bytes: Buffer): ExchangeFailure | null {
    raw.push(bytes);
    // Read at once: behind an early half-close 3.2 and 3.4 sometimes leave the connection open after this text.
    const [line = ''] = raw.length === 1 ? bytes.toString('latin1', 0, 200).split('\n', 1) : [];
    if (targetOf(this.awaited ?? '') !== null && MASTER_GAVE_UP.test(line))
      return { reason: 'cut-short', detail: line };
    this.#grow(bytes.length);
    return this.#failure;
  }

  #takeLines(lines: string[]): void {
    if (this.#failure !== null) return;
    if (this.#secrets.length > 0) lines = lines.map((line) => this.#withoutKeys(line));
    if (this.isComplete) {
      this.#failure = unrequested(`: ${JSON.stringify(lines[0]?.slice(0, 100))}`);
      return;
    }
    const gaveUp = lines.find((line) => MASTER_GAVE_UP.test(line));
    if (gaveUp === undefined && this.#onLines) {
      this.#onLines(lines, this.#bodies.length);
      return;
    }
    let size = 0;
    for (const line of lines) {
      this.#lines.push(line);
      size += line.length + 1;
    }
    if (gaveUp === undefined) this.#grow(size);
    else this.#failure = { reason: 'cut-short', detail: gaveUp };
  }

  #takeReplyEnd(): void {
    if (this.#failure !== null) return;
    const { awaited } = this;
    if (awaited === undefined) {
      this.#failure = unrequested(': an empty line');
      return;
    }
    this.#onReply(awaited);
    this.#bodies.push(this.#lines.join('\n'));
    this.#lines = [];
    this.#size = 0;
  }

  #grow(by: number): void {
    this.#size += by;
    if (this.#size <= MAX_BODY) return;
    this.#failure = { reason: 'garbled', detail: `a reply of more than ${MAX_BODY} characters` };
  }
}

function unrequested(what: string): ExchangeFailure {
  return { reason: 'garbled', detail: `it sent more than was requested${what}` };
}
