// What a call can end in other than its answer.
import type { components } from './gen/api.ts';

/** A problem document as it came: every problem has these members, some have more. */
export type Problem = components['schemas']['Problem'] & { readonly [member: string]: unknown };

/** The service refused, or failed. Callers look at `problem.code`; `message` is what it said. */
export class ApiProblem extends Error {
  override readonly name = 'ApiProblem';
  readonly status: number;
  readonly problem: Problem;
  /** The id under which the service's log has the request; null when none came. */
  readonly requestId: string | null;
  /** Where waiting helps. */
  readonly retryAfterSeconds: number | null;

  constructor(problem: Problem, response: Response) {
    super(problem.detail);
    this.status = response.status;
    this.problem = problem;
    this.requestId = response.headers.get('x-request-id');
    const retryAfter = response.headers.get('retry-after');
    this.retryAfterSeconds = retryAfter === null ? null : Number(retryAfter);
  }

  get code(): number {
    return this.problem.code;
  }
}

/**
 * `refused`: nothing listens there. `timeout`: no answer in time; whether the request was carried out is unknown.
 * `broken`: the connection ended; whether it was carried out is unknown. `stranger`: what answered is not this service,
 * or something stands between. `aborted`: the caller gave it up.
 */
export type CallFailure = 'refused' | 'timeout' | 'broken' | 'stranger' | 'aborted';

/** No answer of the service came. */
export class ApiUnreachable extends Error {
  override readonly name = 'ApiUnreachable';
  readonly reason: CallFailure;

  constructor(reason: CallFailure, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}
