// A minimal HTTP/1.1 client, so that the client's cost is not measured as the service's.
import { connect, type Socket } from 'node:net';

export interface HttpReply {
  readonly status: number;
  readonly body: string;
}

export interface HttpTarget {
  readonly port: number;
  readonly key: string;
}

interface Waiting {
  resolve(reply: HttpReply): void;
  reject(error: Error): void;
}

export class HttpClient {
  readonly #target: HttpTarget;
  #socket: Socket | null = null;
  #received: Buffer<ArrayBufferLike> = Buffer.alloc(0);
  #waiting: Waiting | null = null;

  constructor(target: HttpTarget) {
    this.#target = target;
  }

  /** One at a time. Rejects if the connection ends before the answer. */
  request(method: string, path: string, type: string | null = null, body = '', accept = ''): Promise<HttpReply> {
    const wants = accept === '' ? '' : `accept: ${accept}\r\n`;
    const about =
      type === null ? wants : `content-type: ${type}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n${wants}`;
    return this.#send((socket) => socket.write(`${this.#head(method, path, about)}${body}`, 'latin1'));
  }

  /** Sends prepared chunks, so that creating them is not measured; waits for the service. */
  stream(method: string, path: string, type: string, chunks: readonly Buffer[]): Promise<HttpReply> {
    const length = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
    const head = this.#head(method, path, `content-type: ${type}\r\ncontent-length: ${length}\r\n`);
    return this.#send((socket) => {
      let next = 0;
      socket.write(head, 'latin1');
      const writeMore = (): void => {
        while (next < chunks.length) {
          next += 1;
          if (!socket.write(chunks[next - 1]!)) {
            socket.once('drain', writeMore);
            return;
          }
        }
      };
      writeMore();
    });
  }

  close(): void {
    const socket = this.#socket;
    this.#socket = null;
    socket?.destroy();
    this.#fail(new Error('the client closed its connection'));
  }

  #head(method: string, path: string, about: string): string {
    return `${method} ${path} HTTP/1.1\r\nhost: bench\r\nauthorization: Bearer ${this.#target.key}\r\n${about}\r\n`;
  }

  #send(write: (socket: Socket) => void): Promise<HttpReply> {
    return new Promise((resolve, reject) => {
      if (this.#waiting !== null) throw new Error('one request at a time');
      this.#waiting = { resolve, reject };
      write(this.#connected());
    });
  }

  #connected(): Socket {
    if (this.#socket !== null) return this.#socket;
    const socket = connect({ host: '127.0.0.1', port: this.#target.port, noDelay: true });
    this.#socket = socket;
    this.#received = Buffer.alloc(0);
    const ended = (error: Error): void => {
      // A request may be under way on the next connection already.
      if (this.#socket !== socket) return;
      this.#socket = null;
      this.#fail(error);
    };
    socket.on('data', (data) => this.#receive(data));
    socket.once('error', ended);
    socket.once('close', () => ended(new Error('the connection ended before the answer')));
    return socket;
  }

  #fail(error: Error): void {
    const waiting = this.#waiting;
    this.#waiting = null;
    waiting?.reject(error);
  }

  #receive(data: Buffer): void {
    this.#received = this.#received.length === 0 ? data : Buffer.concat([this.#received, data]);
    let reply: ReturnType<typeof parseReply>;
    try {
      reply = parseReply(this.#received);
    } catch (error) {
      this.#fail(error as Error);
      return;
    }
    if (reply === null) return;
    const waiting = this.#waiting;
    this.#waiting = null;
    this.#received = Buffer.alloc(0);
    if (reply.last) this.close();
    waiting?.resolve(reply);
  }
}

/** Null: incomplete. Supports a length, or chunks. */
export function parseReply(bytes: Buffer): (HttpReply & { readonly last: boolean }) | null {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return null;
  const head = bytes.toString('latin1', 0, end);
  const status = Number(head.slice(9, 12));
  const body = bodyOf(head, bytes, end + 4);
  if (body === null) return null;
  return { status, body: body.toString('utf8'), last: /\r\nconnection: *close/i.test(head) };
}

function bodyOf(head: string, bytes: Buffer, start: number): Buffer | null {
  if (/\r\ntransfer-encoding: *chunked/i.test(head)) return dechunked(bytes, start);
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  if (length === undefined) throw new Error(`an answer without a length: ${head.slice(0, 200)}`);
  const after = start + Number(length);
  return bytes.length < after ? null : bytes.subarray(start, after);
}

/** Without trailers: this service sends none. */
function dechunked(bytes: Buffer, start: number): Buffer | null {
  const chunks: Buffer[] = [];
  for (let at = start; ; ) {
    const lineEnd = bytes.indexOf('\r\n', at);
    if (lineEnd < 0) return null;
    const text = bytes.toString('latin1', at, lineEnd);
    if (!/^[0-9a-f]{1,8}$/i.test(text)) throw new Error(`a chunk without a size: ${JSON.stringify(text.slice(0, 40))}`);
    const from = lineEnd + 2;
    const size = Number.parseInt(text, 16);
    if (bytes.length < from + size + 2) return null;
    if (size === 0) return Buffer.concat(chunks);
    chunks.push(bytes.subarray(from, from + size));
    at = from + size + 2;
  }
}
