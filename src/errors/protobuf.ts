import { create, toBinary } from '@bufbuild/protobuf';
import { ApiErrorSchema, type Err, ErrSchema } from './gen/errors/v1/errors_pb.ts';
import { asServiceError, ServiceError } from './service-error.ts';

/** Ends a circular chain of causes. */
const DEEPEST = 16;

/** The causes of an error, outermost first. The text of an ordinary error includes its own causes. */
function wrappedErrors(error: ServiceError): (ServiceError | string)[] {
  const chain: (ServiceError | string)[] = [];
  let current = error;
  while (chain.length < DEEPEST) {
    // The causes of an unexpected error are only logged.
    if (current.kind === 'Internal' || current.cause === undefined) return chain;
    if (!(current.cause instanceof ServiceError)) return [...chain, describe(current.cause)];
    current = current.cause;
    chain.push(current);
  }
  return chain;
}

function describe(error: unknown): string {
  const texts: string[] = [];
  let current = error;
  while (current !== undefined && texts.length < DEEPEST) {
    if (!(current instanceof Error)) {
      texts.push(String(current));
      break;
    }
    texts.push(current.message || current.name);
    current = current.cause;
  }
  return texts.join(': ');
}

/** `errors.v1.ApiError`: what failed in the API's terms, with the HTTP status. */
export function encodeApiError(error: unknown): Uint8Array {
  const known = asServiceError(error);
  const message = create(ApiErrorSchema, {
    apiError: {
      kind: known.kind,
      op: known.op,
      message: known.detail,
      details: {
        requestFields: known.fields.map(({ name, description }) => ({ name, description })),
        wrappedErrors: wrappedErrors(known).map((wrapped) =>
          wrapped instanceof ServiceError ? { op: wrapped.op, message: wrapped.detail } : { op: '', message: wrapped },
        ),
      },
    },
    status: known.status,
  });
  return toBinary(ApiErrorSchema, message);
}

/** `errors.v1.Err`: the error with its code and everything it wraps. */
export function encodeErr(error: unknown): Uint8Array {
  const known = asServiceError(error);
  // From the innermost error. `none` set to false means that nothing is wrapped (reading 9).
  let wrapped: Err['wrapped'] = { case: 'none', value: false };
  for (const inner of wrappedErrors(known).reverse()) {
    wrapped =
      typeof inner === 'string'
        ? { case: 'stdError', value: inner }
        : { case: 'err', value: errMessage(inner, wrapped) };
  }
  return toBinary(ErrSchema, errMessage(known, wrapped));
}

function errMessage(error: ServiceError, wrapped: Err['wrapped']): Err {
  return create(ErrSchema, { code: error.code, msg: error.detail, op: error.op, wrapped });
}
