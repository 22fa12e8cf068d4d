// What may be written to the master socket. A newline or `;` begins another command, so a plain command may contain
// neither (promise 8); only PayloadCommand has lines.

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

function checkLine(line: string): void {
  if (line === '') throw new UnsafeCommandError('is empty', line);
  if (CONTROL.test(line)) throw new UnsafeCommandError('contains a control character, a newline or ";"', line);
}

function checkLength(text: string): void {
  if (text.length > MAX_COMMAND_BYTES || Buffer.byteLength(text) > MAX_COMMAND_BYTES) {
    throw new UnsafeCommandError(`is longer than ${MAX_COMMAND_BYTES} bytes`, text);
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

export type Command = string | PayloadCommand;

/** Newline included. Throws UnsafeCommandError. */
export function wireText(command: Command): string {
  if (command instanceof PayloadCommand) return command.wire;
  checkLine(command);
  if (command.endsWith('<<')) throw new UnsafeCommandError('would begin a payload', command);
  const text = `${command}\n`;
  checkLength(text);
  return text;
}

/** `@1`, `@!4711`, or null for a command of the master itself. */
export function targetOf(command: Command): string | null {
  const text = command instanceof PayloadCommand ? command.wire : command;
  return /^@!?\d+(?= )/.exec(text)?.[0] ?? null;
}
