// What can go wrong with a request, in the form in which the page shows it.

export interface FieldProblem {
  readonly name: string;
  readonly description: string;
}

/** The service refused, or could not: its problem document (RFC 9457). */
export class ApiProblem extends Error {
  readonly status: number;
  readonly title: string;
  readonly detail: string;
  readonly code: number | null;
  readonly fields: readonly FieldProblem[];
  readonly requestId: string | null;
  /** Seconds; null: it did not say when to come again. */
  readonly retryAfter: number | null;
  /** The document itself, with the members of its kind. */
  readonly members: Readonly<Record<string, unknown>>;

  constructor(status: number, members: Readonly<Record<string, unknown>>, headers: Headers) {
    const text = (name: string): string | null => {
      const value = members[name];
      return typeof value === 'string' ? value : null;
    };
    const detail = text('detail') ?? `the service answered with status ${status} and gave no reason`;
    super(detail);
    this.name = 'ApiProblem';
    this.status = status;
    this.title = text('title') ?? `Status ${status}`;
    this.detail = detail;
    this.code = typeof members['code'] === 'number' ? members['code'] : null;
    this.fields = Array.isArray(members['errors']) ? (members['errors'] as FieldProblem[]) : [];
    this.requestId = text('request_id') ?? headers.get('x-request-id');
    const retryAfter = Number(headers.get('retry-after') ?? Number.NaN);
    this.retryAfter = Number.isFinite(retryAfter) ? retryAfter : null;
    this.members = members;
  }
}

/** Nothing answered: the service is not running, or the way to it is broken. */
export class Unreachable extends Error {
  constructor(cause: unknown) {
    super('the service does not answer', { cause });
    this.name = 'Unreachable';
  }
}
