import type { components } from './gen/api.ts';

/** Every problem has these members, some have more. */
export type Problem = components['schemas']['Problem'] & { readonly [member: string]: unknown };

/** What is read of a response: that of a browser, or the smaller one of `node-client.ts`. */
export interface ReceivedResponse {
  readonly status: number;
  readonly ok: boolean;
  readonly headers: { get(name: string): string | null };
  readonly body: { cancel(): Promise<void> } | null;
  text(): Promise<string>;
}

/** Decide by `problem.code`; `message` is text for people. */
export class ApiProblem extends Error {
  override readonly name = 'ApiProblem';
  readonly status: number;
  readonly problem: Problem;
  /** In the service's log; null: unknown. */
  readonly requestId: string | null;
  /** Set if a retry can succeed. */
  readonly retryAfterSeconds: number | null;

  constructor(problem: Problem, response: Pick<ReceivedResponse, 'status' | 'headers'>) {
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
 * `refused`: nothing listens. `broken`: the connection ended. After it and `timeout` the request may have been
 * executed. `foreign`: the response is not from this service. `aborted`: the caller cancelled.
 */
export type CallFailure = 'refused' | 'timeout' | 'broken' | 'foreign' | 'aborted';

export class ApiUnreachable extends Error {
  override readonly name = 'ApiUnreachable';
  readonly reason: CallFailure;

  constructor(reason: CallFailure, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}
