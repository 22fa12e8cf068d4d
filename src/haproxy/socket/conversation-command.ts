// What may be written to the master socket. A newline or `;` begins another command, so a plain command may contain
// neither (promise 8); only payloads have lines.
import { inspect } from 'node:util';

/**
 * Command and payload must fit into `tune.bufsize` (16,384 by default); 16,355 bytes apply nothing, without an error on
 * 2.6.
 */
export const MAX_COMMAND_BYTES = 15_000;

/** Text that is not exactly one command; a fault of the caller. Thrown before anything is sent. */
export class UnsafeCommandError extends Error {
  override readonly name = 'UnsafeCommandError';

  constructor(why: string, text: string) {
    super(`refused to send a command that ${why}: ${JSON.stringify(text.slice(0, 100))}`);
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are searched for
const CONTROL = /[\u0000-\u001f\u007f;]/;

/** @param shown what the error shows instead of the text */
function checkLine(line: string, shown = line): void {
  if (line === '') throw new UnsafeCommandError('is empty', shown);
  if (CONTROL.test(line)) throw new UnsafeCommandError('contains a control character, a newline or ";"', shown);
}

function checkLength(text: string, shown = text): void {
  if (text.length > MAX_COMMAND_BYTES || Buffer.byteLength(text) > MAX_COMMAND_BYTES) {
    throw new UnsafeCommandError(`is longer than ${MAX_COMMAND_BYTES} bytes`, shown);
  }
}

/** `<command> <<`, its lines, and the empty line that ends them. */
export class PayloadCommand {
  readonly #text: string;

  constructor(command: string, lines: readonly string[]) {
    checkLine(command);
    if (lines.length === 0) throw new UnsafeCommandError('has an empty payload', command);
    for (const line of lines) checkLine(line);
    // The newline of the last line and the empty line: one more would be another command.
    this.#text = `${command} <<\n${lines.join('\n')}\n\n`;
    checkLength(this.#text);
  }

  get wire(): string {
    return this.#text;
  }
}

const HIDDEN = '(not shown)';
/** A shorter run of characters of base64 is no part of a key that is worth anything. */
const KEY_PART = 12;
const BASE64_RUN = new RegExp(`[A-Za-z0-9+/=]{${KEY_PART},}`, 'g');

/**
 * A payload with a private key. Only `wire` has it: errors, logs, JSON and `inspect` show the command alone, and
 * `withoutKey` takes it out of what HAProxy answers.
 */
export class SecretPayload {
  readonly command: string;
  readonly #secret: { reveal(): string };

  /** @param secret PEM without empty lines. Throws UnsafeCommandError, which does not show it. */
  constructor(command: string, secret: { reveal(): string }) {
    checkLine(command);
    this.command = command;
    this.#secret = secret;
    for (const line of secret.reveal().replace(/\n$/, '').split('\n')) checkLine(line, command);
    checkLength(this.wire, command);
  }

  get wire(): string {
    return `${this.command} <<\n${this.#secret.reveal().replace(/\n$/, '')}\n\n`;
  }

  /** HAProxy repeats what it does not understand. */
  withoutKey(reply: string): string {
    const secret = this.#secret.reveal();
    return reply.replace(BASE64_RUN, (run) => {
      for (let at = 0; at + KEY_PART <= run.length; at += 1) {
        if (secret.includes(run.slice(at, at + KEY_PART))) return HIDDEN;
      }
      return run;
    });
  }

  toString(): string {
    return this.command;
  }

  toJSON(): string {
    return this.command;
  }

  [inspect.custom](): string {
    return `SecretPayload ${this.command}`;
  }
}

export type Command = string | PayloadCommand | SecretPayload;

/** For errors and metrics. */
export function shownText(command: Command): string {
  if (command instanceof SecretPayload) return command.command;
  return command instanceof PayloadCommand ? command.wire : command;
}

/**
 * Several commands in one line. To the master, for one worker (`@!<pid> ...`): it hands the line over at once, `@@!<pid>`,
 * and forwards single commands one after the other, at several times the cost. From 3.2 on. What is sent behind the line
 * before its last reply reaches the worker, not the master.
 */
export class WorkerLine {
  readonly commands: readonly string[];
  readonly #text: string;

  private constructor(commands: readonly string[], text: string) {
    this.commands = commands;
    this.#text = text;
  }

  /** In as few lines as the length of a command permits. Throws UnsafeCommandError. */
  static of(pid: number, commands: readonly string[]): WorkerLine[] {
    const target = `@!${pid} `;
    const lines: WorkerLine[] = [];
    let from = 0;
    let text = '';
    for (const [index, command] of commands.entries()) {
      checkLine(command);
      if (!command.startsWith(target)) throw new UnsafeCommandError(`is not for worker ${pid}`, command);
      const bare = command.slice(target.length);
      if (text !== '' && text.length + bare.length + 2 > MAX_COMMAND_BYTES) {
        lines.push(new WorkerLine(commands.slice(from, index), text));
        from = index;
        text = '';
      }
      text += text === '' ? `@${target}${bare}` : `;${bare}`;
    }
    if (text !== '') lines.push(new WorkerLine(commands.slice(from), text));
    for (const line of lines) checkLength(line.wire);
    return lines;
  }

  /** For the worker's own socket, which runs only the first line of a connection (3.0). Throws UnsafeCommandError. */
  static direct(commands: readonly string[]): WorkerLine {
    for (const command of commands) checkLine(command);
    const line = new WorkerLine(commands, commands.join(';'));
    checkLength(line.wire);
    return line;
  }

  get wire(): string {
    return `${this.#text}\n`;
  }
}

/** Newline included. Throws UnsafeCommandError. */
export function wireText(command: Command): string {
  if (typeof command !== 'string') return command.wire;
  checkLine(command);
  if (command.endsWith('<<')) throw new UnsafeCommandError('would begin a payload', command);
  const text = `${command}\n`;
  checkLength(text);
  return text;
}

/** `@1`, `@!4711`, or null for a command of the master itself. */
export function targetOf(command: Command): string | null {
  return /^@!?\d+(?= )/.exec(shownText(command))?.[0] ?? null;
}

/** The worker answers other connections meanwhile: `commit map` replies after it has freed the replaced entries. */
export function repliesLate(command: Command): boolean {
  return typeof command === 'string' && /^@!?\d+ commit map /.test(command);
}
