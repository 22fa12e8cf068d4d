// One line for each response, one for the cause of each failure. Clients could cause anonymous requests, rejections and
// failures by the thousand: the first of each minute have their own line, one more counts the rest.
import type { FastifyRequest } from 'fastify';
import { codes } from '../errors/catalogue.ts';
import { sourceOf } from './failure-limiter.ts';
import { pathOf } from './request-context.ts';
import type { RequestLog } from './services.ts';

interface LineLimits {
  readonly lines: number;
  readonly windowMs: number;
  readonly sources: number;
}

const DEFAULTS: LineLimits = { lines: 20, windowMs: 60_000, sources: 1_000 };
/** The same limit as the audit rows of one key's rejections. */
const keyedLines: LineLimits = { ...DEFAULTS, lines: 60 };
const NAMED_SOURCES = 20;

type WriteLine = (message: string, fields: Readonly<Record<string, unknown>>) => void;

interface LimitedLinesDeps {
  readonly write: WriteLine;
  readonly limits?: LineLimits;
  /** Message of the line that counts the rest. */
  readonly message?: string;
}

export class LimitedLines {
  readonly #deps: LimitedLinesDeps;
  readonly #limits: LineLimits;
  readonly #message: string;
  readonly #sources = new Map<string, number>();
  #written = 0;
  #counted = 0;
  #window: NodeJS.Timeout | null = null;

  constructor(deps: LimitedLinesDeps) {
    this.#deps = deps;
    this.#limits = deps.limits ?? DEFAULTS;
    this.#message = deps.message ?? 'Requests without a valid key';
  }

  /** False: the request is counted. @param source an address, its IPv6 /64, or the name of a key */
  allows(source: string): boolean {
    this.#window ??= setTimeout(() => this.end(), this.#limits.windowMs).unref();
    this.#written += 1;
    if (this.#written <= this.#limits.lines) return true;
    this.#counted += 1;
    const count = this.#sources.get(source);
    if (count !== undefined || this.#sources.size < this.#limits.sources) this.#sources.set(source, (count ?? 0) + 1);
    return false;
  }

  end(): void {
    if (this.#window !== null) clearTimeout(this.#window);
    this.#window = null;
    const counted = this.#counted;
    const most = [...this.#sources].sort(([, a], [, b]) => b - a).slice(0, NAMED_SOURCES);
    this.#written = 0;
    this.#counted = 0;
    this.#sources.clear();
    if (counted === 0) return;
    this.#deps.write(this.#message, { requests: counted, most_from: Object.fromEntries(most) });
  }
}

export class RequestLines {
  readonly #log: RequestLog;
  readonly #anonymous: LimitedLines;
  readonly #rejected: LimitedLines;
  readonly #failed: LimitedLines;

  constructor(log: RequestLog) {
    this.#log = log;
    const write: RequestLog['info'] = (message, fields) => log.info(message, fields);
    this.#anonymous = new LimitedLines({ write });
    this.#rejected = new LimitedLines({ write, limits: keyedLines, message: 'Rejected requests' });
    this.#failed = new LimitedLines({ write, limits: keyedLines, message: 'Failed requests' });
  }

  failureLog(request: FastifyRequest): RequestLog {
    return {
      info: (message, fields) => this.#log.info(message, fields),
      error: (message, fields) => {
        // An exhausted limit is a rejection: the line of its response says everything.
        if (request.keyName !== '' && request.failure?.code === codes.TooMuchAtOnce) return;
        request.failureLogged = true;
        const lines = request.keyName === '' ? this.#anonymous : this.#failed;
        if (lines.allows(sourceOfRequest(request))) this.#log.error(message, { ...fields, ...nameOf(request) });
      },
    };
  }

  /** @param milliseconds from the headers to the end of the response */
  answered(request: FastifyRequest, status: number, milliseconds: number): void {
    const { open, operation } = request.routeOptions.config ?? {};
    if ((open === true || operation?.quiet === true) && status < 400) return;
    if (request.failureLogged) return;
    if (request.keyName === '' && !this.#anonymous.allows(sourceOfRequest(request))) return;
    if (request.keyName !== '' && status >= 400 && !this.#rejected.allows(sourceOfRequest(request))) return;
    this.#log.info('Request answered', {
      request_id: request.id,
      method: request.method,
      path: pathOf(request.url),
      status,
      ...nameOf(request),
      ...failureFields(request),
      duration_ms: Math.round(milliseconds * 10) / 10,
    });
  }

  end(): void {
    for (const lines of [this.#anonymous, this.#rejected, this.#failed]) lines.end();
  }
}

function failureFields({ failure }: FastifyRequest): Readonly<Record<string, unknown>> {
  if (failure === null) return {};
  return failure.code === codes.TooMuchAtOnce ? { code: failure.code, cause: failure.detail } : { code: failure.code };
}

function sourceOfRequest(request: FastifyRequest): string {
  return request.keyName === '' ? sourceOf(addressOf(request)) : request.keyName;
}

function nameOf(request: FastifyRequest): Readonly<Record<string, string>> {
  return request.keyName === '' ? { from: addressOf(request) } : { key: request.keyName };
}

function addressOf(request: FastifyRequest): string {
  return request.socket.remoteAddress ?? 'unix';
}
