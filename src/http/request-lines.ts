// The log's lines of requests: one an answered request, and before it one with the cause of a failure of the service.
// Refusals cost their sender nothing, so those beyond so many a minute are only counted.
import type { FastifyRequest } from 'fastify';
import { codes } from '../errors/catalogue.ts';
import { sourceOf } from './failure-limiter.ts';
import { pathOf } from './request-context.ts';
import type { RequestLog } from './services.ts';

// Log lines that anybody could cause by the thousand: of requests without a valid key, and of refusals and failures with
// one. The first of each minute have lines of their own, of the rest one line tells how many they were and whose.

export interface KeylessLimits {
  /** Lines a minute. */
  readonly lines: number;
  readonly windowMs: number;
  /** Sources that are counted one by one. */
  readonly sources: number;
}

const DEFAULTS: KeylessLimits = { lines: 20, windowMs: 60_000, sources: 1_000 };
/** With a valid key, as many as the audit has rows of one key's refusals. */
const keyedLines: KeylessLimits = { ...DEFAULTS, lines: 60 };
const NAMED_SOURCES = 20;

type Tell = (message: string, fields: Readonly<Record<string, unknown>>) => void;

export class KeylessLines {
  readonly #tell: Tell;
  readonly #limits: KeylessLimits;
  readonly #message: string;
  readonly #sources = new Map<string, number>();
  #told = 0;
  #untold = 0;
  #window: NodeJS.Timeout | null = null;

  /** @param message of the line that counts the rest */
  constructor(tell: Tell, limits: KeylessLimits = DEFAULTS, message = 'Requests without a valid key') {
    this.#tell = tell;
    this.#limits = limits;
    this.#message = message;
  }

  /** Whether a request from `source` (an address, the IPv6 network it lies in, or the name of a key) may have a line of its own; else it is counted. */
  mayTell(source: string): boolean {
    this.#window ??= setTimeout(() => this.end(), this.#limits.windowMs).unref();
    this.#told += 1;
    if (this.#told <= this.#limits.lines) return true;
    this.#untold += 1;
    const count = this.#sources.get(source);
    if (count !== undefined || this.#sources.size < this.#limits.sources) this.#sources.set(source, (count ?? 0) + 1);
    return false;
  }

  /** Tells of what was only counted, and begins anew. */
  end(): void {
    if (this.#window !== null) clearTimeout(this.#window);
    this.#window = null;
    const untold = this.#untold;
    const most = [...this.#sources].sort(([, a], [, b]) => b - a).slice(0, NAMED_SOURCES);
    this.#told = 0;
    this.#untold = 0;
    this.#sources.clear();
    if (untold === 0) return;
    this.#tell(this.#message, { requests: untold, most_from: Object.fromEntries(most) });
  }
}

export class RequestLines {
  readonly #log: RequestLog;
  readonly #keyless: KeylessLines;
  readonly #refused: KeylessLines;
  readonly #failed: KeylessLines;

  constructor(log: RequestLog) {
    this.#log = log;
    const tell: RequestLog['info'] = (message, fields) => log.info(message, fields);
    this.#keyless = new KeylessLines(tell);
    this.#refused = new KeylessLines(tell, keyedLines, 'Refused requests');
    this.#failed = new KeylessLines(tell, keyedLines, 'Failed requests');
  }

  /** The log that a failure of this request is told to. */
  failureLog(request: FastifyRequest): RequestLog {
    return {
      info: (message, fields) => this.#log.info(message, fields),
      error: (message, fields) => {
        // That there is no room is a refusal: its line says all of it.
        if (request.keyName !== '' && request.failure?.code === codes.TooMuchAtOnce) return;
        // One line, or one of the count, for each: no other follows.
        request.toldOfFailure = true;
        const lines = request.keyName === '' ? this.#keyless : this.#failed;
        if (lines.mayTell(whoseOf(request))) this.#log.error(message, { ...fields, ...nameOf(request) });
      },
    };
  }

  /** @param milliseconds from the headers to the end of the answer */
  answered(request: FastifyRequest, status: number, milliseconds: number): void {
    const { open, operation } = request.routeOptions.config ?? {};
    // Probes come every second, scrapes every few, and say nothing while all is well.
    if ((open === true || operation?.quiet === true) && status < 400) return;
    if (request.toldOfFailure) return;
    if (request.keyName === '' && !this.#keyless.mayTell(whoseOf(request))) return;
    if (request.keyName !== '' && status >= 400 && !this.#refused.mayTell(whoseOf(request))) return;
    this.#log.info('Request answered', {
      request_id: request.id,
      method: request.method,
      path: pathOf(request.url),
      status,
      ...nameOf(request),
      ...refusalOf(request),
      duration_ms: Math.round(milliseconds * 10) / 10,
    });
  }

  /** Tells of what was only counted. */
  end(): void {
    for (const lines of [this.#keyless, this.#refused, this.#failed]) lines.end();
  }
}

function refusalOf({ failure }: FastifyRequest): Readonly<Record<string, unknown>> {
  if (failure === null) return {};
  return failure.code === codes.TooMuchAtOnce ? { code: failure.code, cause: failure.detail } : { code: failure.code };
}

/** In whose count it is. */
function whoseOf(request: FastifyRequest): string {
  return request.keyName === '' ? sourceOf(addressOf(request)) : request.keyName;
}

function nameOf(request: FastifyRequest): Readonly<Record<string, string>> {
  return request.keyName === '' ? { from: addressOf(request) } : { key: request.keyName };
}

function addressOf(request: FastifyRequest): string {
  return request.socket.remoteAddress ?? 'unix';
}
