// The log's lines of requests: one an answered request, and before it one with the cause of a failure of the service.
// Refusals cost their sender nothing, so those beyond so many a minute are only counted (`keyless-lines.ts`).
import type { FastifyRequest } from 'fastify';
import { codes } from '../errors/catalogue.ts';
import { sourceOf } from './failure-limiter.ts';
import { KeylessLines, keyedLines } from './keyless-lines.ts';
import { pathOf } from './path-of.ts';
import type { RequestLog } from './services.ts';

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
