import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { lookUpCode } from './catalogue.ts';
import { type ApiError, ApiErrorSchema, type Err, ErrSchema } from './gen/errors/v1/errors_pb.ts';
import { asServiceError, ServiceError } from './service-error.ts';

/** Ends a circular chain of causes. */
const DEEPEST = 16;

/** The causes of an error, outermost first. The text of an ordinary error includes its own causes. */
export function wrappedErrors(error: ServiceError): (ServiceError | string)[] {
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

/** A decoded `Err`, with the catalogue's entry of its code. */
interface ReadErr {
  readonly code: number;
  readonly kind: string;
  /** The catalogue's message of the code. */
  readonly message: string;
  readonly msg: string;
  readonly op: string;
  /** A domain error, the text of an ordinary one, or undefined: nothing is wrapped. */
  readonly wrapped: ReadErr | string | undefined;
}

/** The bytes are not the expected message. */
export class MalformedMessage extends Error {
  override readonly name = 'MalformedMessage';
}

/** Throws MalformedMessage if the bytes are not an `errors.v1.Err`, or if it wraps more than a hundred others. */
export function decodeErr(bytes: Uint8Array): ReadErr {
  return readErr(decoded('errors.v1.Err', () => fromBinary(ErrSchema, bytes)));
}

/** Throws MalformedMessage if the bytes are not an `errors.v1.ApiError`. */
export function decodeApiError(bytes: Uint8Array): ApiError {
  return decoded('errors.v1.ApiError', () => fromBinary(ApiErrorSchema, bytes));
}

function decoded<Message>(name: string, decode: () => Message): Message {
  try {
    return decode();
  } catch (cause) {
    throw new MalformedMessage(`the bytes are not a valid ${name}: ${(cause as Error).message}`, { cause });
  }
}

function readErr({ code, msg, op, wrapped }: Err): ReadErr {
  const { kind, message } = lookUpCode(code);
  return { code, kind, message, msg, op, wrapped: readWrapped(wrapped) };
}

function readWrapped(wrapped: Err['wrapped']): ReadErr | string | undefined {
  if (wrapped.case === 'err') return readErr(wrapped.value);
  if (wrapped.case === 'stdError') return wrapped.value;
  // `none` true, `none` false and unset all mean that nothing is wrapped.
  return undefined;
}
