import { lookUpCode } from './catalogue.ts';
import { asServiceError, type FieldError } from './service-error.ts';

/** A problem document (RFC 9457). Some errors have more members (`covered_by`, …). */
export interface Problem {
  /** A stable URN of the code; it cannot be fetched. */
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: number;
  readonly kind: string;
  readonly op: string;
  readonly errors: readonly FieldError[];
  readonly request_id: string;
  readonly [member: string]: unknown;
}

interface ProblemAnswer {
  readonly status: number;
  readonly body: Problem;
}

export function toProblem(error: unknown, requestId: string): ProblemAnswer {
  const { code, kind, status, op, detail, fields, members } = asServiceError(error);
  const body: Problem = {
    // First, so that no member can replace a standard one.
    ...members,
    type: `urn:proxy-manager:error:${code}`,
    title: lookUpCode(code).message,
    status,
    detail,
    code,
    kind,
    op,
    errors: fields,
    request_id: requestId,
  };
  return { status, body };
}
