// One HTTPS request to an authority: its own trust, bounded in time and size, and without redirects.
import { Agent, request as httpsRequest } from 'node:https';
import { AcmeUnreachable } from './authority.ts';

const TIMEOUT_MS = 15_000;
const MOST_BYTES = 1_000_000;

export interface Reply {
  readonly status: number;
  /** Lower-case names; of a repeated one, the first value. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

export interface TransportOptions {
  /** PEM: the only roots that are trusted, such as that of a company's own authority; null: those of Node. */
  readonly roots: string | null;
  readonly userAgent: string;
  readonly timeoutMs?: number;
  /** The date of a reply that no cache can have answered. */
  readonly onDate?: ((date: Date) => void) | undefined;
}

export class Transport {
  readonly #agent: Agent;
  readonly #userAgent: string;
  readonly #timeoutMs: number;
  readonly #onDate: (date: Date) => void;

  constructor({ roots, userAgent, timeoutMs = TIMEOUT_MS, onDate = () => undefined }: TransportOptions) {
    this.#agent = new Agent({ keepAlive: true, ...(roots === null ? {} : { ca: roots }) });
    this.#userAgent = userAgent;
    this.#timeoutMs = timeoutMs;
    this.#onDate = onDate;
  }

  /** @param body a JWS; absent: without one. @throws AcmeUnreachable */
  async send(method: 'GET' | 'HEAD' | 'POST', url: string, body?: string): Promise<Reply> {
    const signal = AbortSignal.timeout(this.#timeoutMs);
    try {
      const reply = await this.#send(method, checked(url), body, signal);
      const date = Date.parse(reply.headers.get('date') ?? '');
      if (method === 'POST' && !Number.isNaN(date)) this.#onDate(new Date(date));
      return reply;
    } catch (error) {
      if (error instanceof AcmeUnreachable) throw error;
      const cause = signal.aborted ? `no complete reply within ${this.#timeoutMs / 1000} s` : (error as Error).message;
      throw new AcmeUnreachable(`${method} ${new URL(url).host}: ${cause}`, null);
    }
  }

  close(): void {
    this.#agent.destroy();
  }

  #send(method: string, url: URL, body: string | undefined, signal: AbortSignal): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const headers = {
        'user-agent': this.#userAgent,
        ...(body === undefined
          ? {}
          : { 'content-type': 'application/jose+json', 'content-length': Buffer.byteLength(body) }),
      };
      const request = httpsRequest(url, { method, headers, agent: this.#agent, signal }, (response) => {
        const chunks: Buffer[] = [];
        let size = 0;
        response.on('data', (chunk: Buffer) => {
          size += chunk.length;
          if (size > MOST_BYTES) response.destroy(new Error(`a reply of more than ${MOST_BYTES} bytes`));
          else chunks.push(chunk);
        });
        response.once('error', reject);
        response.once('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: new Map(
              Object.entries(response.headersDistinct).map(([name, values]) => [name, values?.[0] ?? '']),
            ),
            body: Buffer.concat(chunks).toString('utf8'),
          }),
        );
      });
      request.once('error', reject);
      request.end(body);
    });
  }
}

function checked(url: string): URL {
  const parsed = URL.parse(url);
  if (parsed?.protocol === 'https:' && parsed.username === '' && parsed.password === '') return parsed;
  throw new AcmeUnreachable('the authority named an address that is not an https URL', null);
}
