import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { quote } from '../../domain/quote.ts';
import { Failure } from '../failure.ts';

export interface ListSource {
  readonly name: string;
  /** Can be read again from the start. */
  readonly isFile: boolean;
  /** Read so far, 0 to 1; null: the size is not known. */
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
    if (facts.isDirectory()) throw new Failure(`${quote(path)} is a directory; give a file, or - for standard input`);
  } catch (error) {
    throw error instanceof Failure ? error : cannotRead(path, error);
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
        throw cannotRead(path, error);
      }
    },
  };
}

/**
 * Ctrl-C also ends the program that writes into the pipe, and a truncated list then looks complete: the end counts only
 * after this program's own signal had time to arrive.
 */
async function* untilReallyEnded(stdin: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* stdin;
  await pause(signalDelayMs);
}

const signalDelayMs = 100;

function cannotRead(path: string, error: unknown): Failure {
  const { code, message } = error as NodeJS.ErrnoException;
  const why =
    code === 'ENOENT' ? 'no such file' : code === 'EACCES' ? 'permission denied' : `cannot be read: ${message}`;
  return new Failure(`${quote(path)}: ${why}`, { cause: error });
}
