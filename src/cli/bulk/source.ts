// A list's bytes: a file, or standard input (`-`).
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { quote } from '../../domain/quote.ts';
import { Failure } from '../failure.ts';

export interface ListSource {
  /** For messages. */
  readonly name: string;
  /** Can be read again from its begin. */
  readonly isFile: boolean;
  /** What was read of the whole, 0 to 1; null: nobody knows how much comes. */
  readonly share: number | null;
  read(): AsyncIterable<Uint8Array>;
}

/** @throws Failure for a file that cannot be read */
export async function openSource(path: string, stdin: AsyncIterable<Uint8Array>): Promise<ListSource> {
  if (path === '-') return { name: 'standard input', isFile: false, share: null, read: () => untilReallyEnded(stdin) };
  let size: number;
  let isFile: boolean;
  try {
    const facts = await stat(path);
    size = facts.size;
    isFile = facts.isFile();
    if (facts.isDirectory()) throw new Failure(`${quote(path)} is a folder; name a file, or - for standard input`);
  } catch (error) {
    throw error instanceof Failure ? error : unreadable(path, error);
  }
  let read = 0;
  return {
    name: path,
    isFile,
    get share() {
      return isFile && size > 0 ? Math.min(1, read / size) : null;
    },
    async *read() {
      read = 0;
      try {
        for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
          read += chunk.length;
          yield chunk;
        }
      } catch (error) {
        throw unreadable(path, error);
      }
    },
  };
}

/**
 * Ctrl-C ends the program that writes into our pipe as well as us, and what is left of its list then looks like a whole
 * one. Its end is believed once our own signal had the time to come.
 */
async function* untilReallyEnded(stdin: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* stdin;
  await pause(signalsComeWithinMs);
}

const signalsComeWithinMs = 100;

function unreadable(path: string, error: unknown): Failure {
  const { code, message } = error as NodeJS.ErrnoException;
  const why =
    code === 'ENOENT'
      ? 'there is no such file'
      : code === 'EACCES'
        ? 'you may not read it'
        : `it cannot be read: ${message}`;
  return new Failure(`${quote(path)}: ${why}`, { cause: error });
}
