// One log in two forms: JSON lines on standard output for machines, readable text in the manager log for people.
// Six of its messages are fixed (rule 15).
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { pino } from 'pino';
import { BufferedLines } from './buffered-lines.ts';

export { causeText } from './cause-text.ts';

export type LogFields = Readonly<Record<string, unknown>>;

export interface Log {
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

type Level = 'info' | 'warn' | 'error';

/**
 * Lines logged in one turn of the event loop are written together, in order, with one write per form; a warning or an
 * error at once, with all lines before it. The write is a microtask: the requests of a group are answered by promises
 * that were resolved together, so all have logged their lines before it, and none has sent its response. So no response is
 * sent before its operation is in the log, and a process that exits by itself, even by an uncaught exception, loses nothing.
 */
export class ManagerLog implements Log {
  readonly #json: pino.Logger;
  readonly #standardOutput: BufferedLines;
  readonly #file: BufferedLines | null;
  #flushDue = false;

  /**
   * @param logFile path of the manager log, created if missing (mode 640); `-`: standard output only
   * @param jsonTo descriptor or file for the JSON lines
   */
  constructor(logFile: string, jsonTo: number | string = 1) {
    this.#standardOutput = new BufferedLines({ dest: jsonTo, mkdir: true });
    this.#json = pino({ base: null, timestamp: pino.stdTimeFunctions.isoTime }, this.#standardOutput);
    if (logFile === '-') {
      this.#file = null;
    } else {
      mkdirSync(dirname(logFile), { recursive: true });
      this.#file = new BufferedLines({ dest: logFile, append: true, mode: 0o640 });
    }
    process.on('exit', () => this.flush());
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

  /** After a log rotation (SIGHUP): opens the path again. */
  reopen(): void {
    this.#file?.reopen();
  }

  /** Writes the buffered lines now. */
  flush(): void {
    this.#standardOutput.flush();
    this.#file?.flush();
  }

  #write(level: Level, message: string, fields: LogFields): void {
    // Separately: a failure of one form does not affect the other.
    neverThrowing(() => this.#json[level](fields, message));
    neverThrowing(() => this.#file?.write(textLine(new Date(), level, message, fields)));
    if (level !== 'info') this.flush();
    else if (!this.#flushDue) this.#flushSoon();
  }

  #flushSoon(): void {
    this.#flushDue = true;
    queueMicrotask(() => {
      this.#flushDue = false;
      this.flush();
    });
  }
}

/** No block fails because it cannot be logged. */
function neverThrowing(write: () => void): void {
  try {
    write();
  } catch (error) {
    ignoreLostLine(error);
  }
}

function ignoreLostLine(_error: unknown): void {
  // There is nowhere left to report this.
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

/** A message (some quote HAProxy's output) cannot add a log line or control a terminal. */
function singleLine(text: string): string {
  return text.replaceAll(controls, ' ');
}

/** C0, DEL, C1, and Unicode's own line ends. */
const controls = /[\p{Cc}\u2028\u2029]+/gu;
