// One log, two forms: JSON lines on standard output for machines, readable text in the manager log for people.
// The messages that operators watch for are fixed by the specification ("Log messages that operators watch for").
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { pino } from 'pino';

export type LogFields = Readonly<Record<string, unknown>>;

/** What the product's parts know of the log. */
export interface Log {
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

type Level = 'info' | 'warn' | 'error';
/** What waits for a disk that is full, to be written when it has room again; beyond it lines are lost. */
const keptBytes = 1_048_576;

type Destination = ReturnType<typeof pino.destination>;

export class ManagerLog implements Log {
  readonly #json: pino.Logger;
  readonly #standardOutput: Destination;
  readonly #file: Destination | null;

  /**
   * @param logFile path of the manager log, made when missing (mode 640); `-`: standard output only
   * @param jsonTo descriptor or file for the JSON lines
   */
  constructor(logFile: string, jsonTo: number | string = 1) {
    this.#standardOutput = pino.destination({ dest: jsonTo, sync: true, mkdir: true, maxLength: keptBytes });
    this.#standardOutput.on('error', ignoreLostLine);
    this.#json = pino({ base: null, timestamp: pino.stdTimeFunctions.isoTime }, this.#standardOutput);
    if (logFile === '-') {
      this.#file = null;
    } else {
      mkdirSync(dirname(logFile), { recursive: true });
      this.#file = pino.destination({ dest: logFile, append: true, sync: true, mode: 0o640, maxLength: keptBytes });
      this.#file.on('error', ignoreLostLine);
    }
  }

  info(message: string, fields: LogFields = {}): void {
    this.#write('info', message, fields);
  }

  warn(message: string, fields: LogFields = {}): void {
    this.#write('warn', message, fields);
  }

  error(message: string, fields: LogFields = {}): void {
    this.#write('error', message, fields);
  }

  /** After a log rotation (SIGHUP): the path is opened anew. */
  reopen(): void {
    this.#file?.reopen();
  }

  #write(level: Level, message: string, fields: LogFields): void {
    // Each for itself: where one has no room the other still tells.
    neverThrowing(() => this.#json[level](fields, message));
    neverThrowing(() => this.#file?.write(textLine(new Date(), level, message, fields)));
  }
}

/**
 * A disk that is full or a reader of the pipe that is gone loses the line and nothing else: no block fails because it
 * cannot be told of. There is nowhere left to tell this.
 */
function neverThrowing(write: () => void): void {
  try {
    write();
  } catch (error) {
    ignoreLostLine(error);
  }
}

function ignoreLostLine(_error: unknown): void {
  // See `neverThrowing`.
}

/** `2026-11-20T12:00:00.000Z INFO Runtime map updated operation=block ip_address=192.0.2.1` */
export function textLine(at: Date, level: Level, message: string, fields: LogFields): string {
  let line = `${at.toISOString()} ${level.toUpperCase()} ${singleLine(message)}`;
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined) line += ` ${name}=${fieldText(value)}`;
  }
  return `${line}\n`;
}

function fieldText(value: unknown): string {
  if (typeof value === 'string') return /^[\w.:/@+-]+$/.test(value) ? value : quoted(value);
  if (value instanceof Error) return quoted(value.message);
  return quoted(value);
}

/** JSON leaves DEL, C1 and Unicode's line ends as they are; a log line does not. */
function quoted(value: unknown): string {
  return JSON.stringify(value).replaceAll(
    /[\u007f-\u009f\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Nobody writes a second log line, or to a terminal, through a message (HAProxy's output is quoted in some). */
function singleLine(text: string): string {
  return text.replaceAll(controls, ' ');
}

/** C0, DEL, C1, and Unicode's own line ends. */
const controls = /[\p{Cc}\u2028\u2029]+/gu;

/** For tests and for parts that are used without a service. */
export const silentLog: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** The cause of a failure as a log field: message and causes, never a stack with paths in it. */
export function causeText(error: unknown): string {
  const parts: string[] = [];
  let current: unknown = error;
  for (let depth = 0; depth < 8 && current instanceof Error; depth += 1) {
    parts.push(current.message);
    current = current.cause;
  }
  return parts.length === 0 ? String(error) : parts.join(': caused by: ');
}
