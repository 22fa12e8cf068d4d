// Where a verb's words go: results to standard output, remarks, questions and progress to standard error.
import type { WriteStream } from 'node:tty';
import { mayPaint, painted, type Style, unpainted } from './colour.ts';
import { harmlessJson } from './harmless.ts';
import { Progress } from './progress.ts';
import { type Column, plainLine, Table } from './table.ts';

export type OutputFormat = 'text' | 'json';

type Sink = NodeJS.WritableStream & Partial<Pick<WriteStream, 'isTTY' | 'columns' | 'writableNeedDrain'>>;

const narrowest = 40;
const usual = 80;

export class Output {
  readonly #stdout: Sink;
  readonly #stderr: Sink;
  /** Of standard output. */
  readonly isTerminal: boolean;
  readonly columns: number;
  readonly paint: (style: Style, text: string) => string;
  /** As `paint`, for standard error. */
  readonly paintRemark: (style: Style, text: string) => string;
  #closed = false;

  constructor(stdout: Sink, stderr: Sink, environment: Readonly<Record<string, string | undefined>>) {
    this.#stdout = stdout;
    this.#stderr = stderr;
    this.isTerminal = stdout.isTTY === true;
    this.columns = Math.max(narrowest, stdout.columns || usual);
    this.paint = mayPaint(this.isTerminal, environment) ? painted : unpainted;
    this.paintRemark = mayPaint(stderr.isTTY === true, environment) ? painted : unpainted;
    // `| head` has what it wanted; nobody is told, and work under way is done all the same.
    stdout.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE' && error.code !== 'ERR_STREAM_DESTROYED') throw error;
      this.#closed = true;
    });
    stderr.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE' && error.code !== 'EIO') throw error;
    });
  }

  /** Nobody reads any more: a verb that only tells may end. */
  get closed(): boolean {
    return this.#closed;
  }

  get errorIsTerminal(): boolean {
    return this.#stderr.isTTY === true;
  }

  /** Resolves when there is room for more. */
  async write(text: string): Promise<void> {
    if (this.#closed || text === '') return;
    // Called on an error too: of a reader that went away, nothing more is to be waited for.
    await new Promise<void>((resolve) => {
      this.#stdout.write(text, () => resolve());
    });
  }

  async lines(lines: readonly string[]): Promise<void> {
    if (lines.length > 0) await this.write(`${lines.join('\n')}\n`);
  }

  /** One document. */
  async json(value: unknown): Promise<void> {
    await this.write(`${harmlessJson(value)}\n`);
  }

  /** A table on a terminal, tab-separated lines in a pipe. Call with each page of `rows` as it comes. */
  rows<Row>(columns: readonly Column<Row>[]): (rows: readonly Row[]) => Promise<void> {
    const table = this.isTerminal ? new Table(columns, this.columns, this.paint) : null;
    return async (rows) => {
      await this.lines(table === null ? rows.map((row) => plainLine(columns, row)) : table.page(rows));
    };
  }

  /** To standard error. */
  remark(text: string): void {
    this.#stderr.write(`${text}\n`);
  }

  progress(what: string): Progress {
    const stderr = this.#stderr;
    return new Progress(
      {
        isTerminal: stderr.isTTY === true,
        columns: stderr.columns || usual,
        write: (text) => {
          stderr.write(text);
        },
      },
      what,
    );
  }
}
