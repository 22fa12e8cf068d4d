import { codes, lookUpCode } from './catalogue.ts';

/** One field of a request and what is wrong with it. */
export interface FieldError {
  readonly name: string;
  readonly description: string;
}

interface ServiceErrorOptions {
  readonly cause?: unknown;
  readonly fields?: readonly FieldError[];
  /** Set if a retry can succeed: after how many seconds. */
  readonly retryAfterSeconds?: number;
  /** Extension members of the problem document, snake_case, such as `covered_by` or `restored`. */
  readonly members?: Readonly<Record<string, unknown>>;
}

/** An error with a code of the catalogue. Programs read `code`, people read `detail`. */
export class ServiceError extends Error {
  readonly code: number;
  /** The operation that failed, such as `block address`. */
  readonly op: string;
  readonly fields: readonly FieldError[];
  readonly retryAfterSeconds: number | undefined;
  readonly members: Readonly<Record<string, unknown>>;

  /** @param detail what failed, why, and what to do; clients get it */
  constructor(code: number, op: string, detail: string, options: ServiceErrorOptions = {}) {
    super(detail, 'cause' in options ? { cause: options.cause } : undefined);
    this.name = 'ServiceError';
    this.code = code;
    this.op = op;
    this.fields = options.fields ?? [];
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.members = options.members ?? {};
  }

  get kind(): string {
    return lookUpCode(this.code).kind;
  }

  get status(): number {
    return lookUpCode(this.code).status;
  }

  get detail(): string {
    return this.message;
  }
}

/**
 * The error for clients. An unexpected error becomes code 500 without its text or cause, which may contain paths,
 * statements or secrets and are only logged.
 */
export function asServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  return new ServiceError(
    codes.Internal,
    'serve request',
    'unexpected error; the log has the cause under the id of this request',
  );
}
