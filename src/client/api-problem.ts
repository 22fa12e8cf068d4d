// What a call can end in other than its answer.
import type { components } from './gen/api.ts';

/** A problem document as it came: every problem has these members, some have more. */
export type Problem = components['schemas']['Problem'] & { readonly [member: string]: unknown };

/** The service refused, or failed. Callers look at `problem.code`; `message` is what it said. */
export class ApiProblem extends Error {
  override readonly name = 'ApiProblem';
  readonly status: number;
  readonly problem: Problem;
  /** The id of the request in the service's log; null: unknown. */
  readonly requestId: string | null;
  /** Set if a retry can succeed. */
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
 * `refused`: nothing listens there. `timeout`: no response in time. `broken`: the connection ended. After both it is
 * unknown whether the request was carried out. `foreign`: the response is not from this service. `aborted`: the caller
 * cancelled the request.
 */
export type CallFailure = 'refused' | 'timeout' | 'broken' | 'foreign' | 'aborted';

/** The service did not respond. */
export class ApiUnreachable extends Error {
  override readonly name = 'ApiUnreachable';
  readonly reason: CallFailure;

  constructor(reason: CallFailure, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}
