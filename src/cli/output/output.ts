// Results go to standard output; remarks, questions and progress to standard error.
import type { WriteStream } from 'node:tty';
import type { CliHost } from '../host.ts';
import { mayPaint, painted, type Style, unpainted } from './colour.ts';
import { harmlessJson } from './harmless.ts';
import { Progress } from './progress.ts';
import { type Column, plainLine, Table } from './table.ts';

export type OutputFormat = 'text' | 'json';

type OutputHost = Pick<CliHost, 'environment'> & { readonly stdout: Sink; readonly stderr: Sink };

type Sink = NodeJS.WritableStream & Partial<Pick<WriteStream, 'isTTY' | 'columns' | 'writableNeedDrain'>>;

const leastColumns = 40;
const defaultColumns = 80;

export class Output {
  readonly #stdout: Sink;
  readonly #stderr: Sink;
  /** Whether standard output is a terminal. */
  readonly isTerminal: boolean;
  readonly columns: number;
  readonly paint: (style: Style, text: string) => string;
  /** For standard error. */
  readonly paintRemark: (style: Style, text: string) => string;
  #closed = false;

  constructor({ stdout, stderr, environment }: OutputHost) {
    this.#stdout = stdout;
    this.#stderr = stderr;
    this.isTerminal = stdout.isTTY === true;
    this.columns = Math.max(leastColumns, stdout.columns || defaultColumns);
    this.paint = mayPaint(this.isTerminal, environment) ? painted : unpainted;
    this.paintRemark = mayPaint(stderr.isTTY === true, environment) ? painted : unpainted;
    // A closed pipe (`| head`) is not an error; work in progress is completed.
    stdout.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE' && error.code !== 'ERR_STREAM_DESTROYED') throw error;
      this.#closed = true;
    });
    stderr.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE' && error.code !== 'EIO') throw error;
    });
  }

  /** The reader of the pipe is gone: a verb that only prints may end. */
  get closed(): boolean {
    return this.#closed;
  }

  /** Resolves when the stream accepts more. */
  async write(text: string): Promise<void> {
    if (this.#closed || text === '') return;
    // Also called on an error, so that a reader that is gone is not waited for.
    await new Promise<void>((resolve) => {
      this.#stdout.write(text, () => resolve());
    });
  }

  async lines(lines: readonly string[]): Promise<void> {
    if (lines.length > 0) await this.write(`${lines.join('\n')}\n`);
  }

  async json(value: unknown): Promise<void> {
    await this.write(`${harmlessJson(value)}\n`);
  }

  /** Call the result with each page of rows. In a pipe the lines are tab-separated. */
  rows<Row>(columns: readonly Column<Row>[]): (rows: readonly Row[]) => Promise<void> {
    const table = this.isTerminal ? new Table({ columns, width: this.columns, paint: this.paint }) : null;
    return async (rows) => {
      await this.lines(table === null ? rows.map((row) => plainLine(columns, row)) : table.page(rows));
    };
  }

  remark(text: string): void {
    this.#stderr.write(`${text}\n`);
  }

  progress(what: string): Progress {
    const stderr = this.#stderr;
    return new Progress({
      what,
      screen: {
        isTerminal: stderr.isTTY === true,
        columns: stderr.columns || defaultColumns,
        write: (text) => {
          stderr.write(text);
        },
      },
    });
  }
}
