import { quote } from '../domain/quote.ts';
import { codes } from '../errors/catalogue.ts';
import { asServiceError, ServiceError } from '../errors/service-error.ts';
import { malformedBody, rejectedFields, tooLarge, unsupportedMediaType } from './rejections.ts';
import { describeSchemaErrors, type SchemaError } from './validation-errors.ts';

interface FrameworkError extends Error {
  readonly code?: string;
  readonly validation?: readonly SchemaError[];
  readonly validationContext?: string;
}

const PARTS: Readonly<Record<string, string>> = { body: 'the body', querystring: 'the query', params: 'the path' };

/** Rejections by the framework become 4xx; anything else but a `ServiceError` 500 without details. */
export function asAnswerableError(error: unknown): ServiceError {
  if (error instanceof ServiceError || !(error instanceof Error)) return asServiceError(error);
  const { code, validation, validationContext } = error as FrameworkError;
  if (validation !== undefined) return rejectedBySchema(validation, PARTS[validationContext ?? ''] ?? 'the request');
  switch (code) {
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return unsupportedMediaType('this Content-Type', 'application/json');
    case 'FST_ERR_BAD_URL':
      return badUrl('the URL cannot be decoded; percent-encode it (RFC 3986), the slash of a network as %2F');
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return badUrl('a segment of the path is too long for an address, a name or an id');
    case 'ECONNRESET':
    case 'ERR_STREAM_PREMATURE_CLOSE':
      return malformedBody('the body ended early, so nothing was changed; send the complete body', error);
    default:
      return asServiceError(error);
  }
}

function rejectedBySchema(errors: readonly SchemaError[], part: string): ServiceError {
  const fields = describeSchemaErrors(errors, part);
  const unknown = errors.some(({ keyword }) => keyword === 'additionalProperties');
  const completeBody =
    part === 'the body' && errors.every((error) => error.keyword === 'type' && error.instancePath === '');
  return rejectedFields(
    fields,
    unknown ? codes.UnknownField : completeBody ? codes.InvalidBody : codes.InvalidParameter,
  );
}

function badUrl(detail: string): ServiceError {
  return new ServiceError(codes.InvalidParameter, 'route request', detail);
}

/** For `clientError`: Node's parser failed before there was a request. */
export function asConnectionError(error: Error & { readonly code?: string }): ServiceError {
  if (error.code === 'HPE_HEADER_OVERFLOW')
    return tooLarge('the headers are larger than 16 KiB; send fewer or shorter ones');
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return new ServiceError(codes.RequestTimeout, 'read request', 'the request did not arrive in time; send it again');
  }
  const reason = quote(error.code ?? error.message);
  return new ServiceError(codes.InvalidParameter, 'read request', `the request is not valid HTTP (${reason})`);
}
