// Each client continues until it is stopped; none of them throws.
import { connect, type Socket } from 'node:net';

export interface HostileClient {
  /** The start of what it received. */
  text(): string;
  readonly closed: boolean;
  stop(): void;
}

export interface HostileOptions {
  /** Written once. */
  readonly first?: string | Buffer;
  /** Written repeatedly: every `everyMs`, or as fast as possible (0). */
  readonly again?: string | Buffer;
  readonly everyMs?: number;
  /** Default true. */
  readonly reads?: boolean;
  /** Half-closes after `first`. */
  readonly halfCloses?: boolean;
}

const LONGEST_TEXT = 4096;

export function hostileClient(port: number, options: HostileOptions = {}): HostileClient {
  let text = '';
  let closed = false;
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  socket.on('error', () => undefined);
  const done = pour(socket, options);
  socket.once('close', () => {
    closed = true;
    done();
  });
  if (options.reads !== false) {
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      if (text.length < LONGEST_TEXT) text += chunk;
    });
    // A client that does not read does not notice the end either.
    socket.once('end', () => socket.end());
  }
  return {
    text: () => text,
    get closed() {
      return closed;
    },
    stop: () => socket.destroy(),
  };
}

/** Returns a function that stops it. */
function pour(socket: Socket, { first, again, everyMs = 0, halfCloses }: HostileOptions): () => void {
  socket.once('connect', () => {
    if (first !== undefined) socket.write(first);
    if (halfCloses === true) socket.end();
  });
  if (again === undefined) return () => undefined;
  if (everyMs > 0) {
    let timer: NodeJS.Timeout | undefined;
    socket.once('connect', () => {
      timer = setInterval(() => socket.writable && socket.write(again), everyMs);
    });
    return () => clearInterval(timer);
  }
  const flood = () => {
    while (socket.writable && socket.write(again));
  };
  socket.once('connect', flood);
  socket.on('drain', () => setImmediate(flood));
  return () => undefined;
}
