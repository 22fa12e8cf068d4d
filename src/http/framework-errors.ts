// What Fastify and Node throw themselves, told apart by their codes, as errors of the catalogue.
import { quote } from '../domain/quote.ts';
import { codes } from '../errors/catalogue.ts';
import { asServiceError, ServiceError } from '../errors/service-error.ts';
import { malformedBody, refusedFields, tooLarge, unsupportedMediaType } from './refusals.ts';
import { describeSchemaErrors, type SchemaError } from './validation-errors.ts';

interface FrameworkError extends Error {
  readonly code?: string;
  readonly validation?: readonly SchemaError[];
  readonly validationContext?: string;
}

const PARTS: Readonly<Record<string, string>> = { body: 'the body', querystring: 'the query', params: 'the path' };

/** A `ServiceError` as it is; a refusal of the framework as its 4xx; everything else as the 500 that tells nothing. */
export function asAnswerableError(error: unknown): ServiceError {
  if (error instanceof ServiceError || !(error instanceof Error)) return asServiceError(error);
  const { code, validation, validationContext } = error as FrameworkError;
  if (validation !== undefined) return refusedBySchema(validation, PARTS[validationContext ?? ''] ?? 'the request');
  switch (code) {
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return unsupportedMediaType('this Content-Type', 'application/json');
    case 'FST_ERR_BAD_URL':
      return badUrl(
        'the address of the request cannot be decoded; encode it as RFC 3986 says, a slash in a network as %2F',
      );
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return badUrl('a part of the path is far too long for an address, a name or an id');
    case 'ECONNRESET':
    case 'ERR_STREAM_PREMATURE_CLOSE':
      return malformedBody('the body ended before it was whole; nothing was changed', error);
    default:
      return asServiceError(error);
  }
}

function refusedBySchema(errors: readonly SchemaError[], part: string): ServiceError {
  const fields = describeSchemaErrors(errors, part);
  const unknown = errors.some(({ keyword }) => keyword === 'additionalProperties');
  const wholeBody =
    part === 'the body' && errors.every((error) => error.keyword === 'type' && error.instancePath === '');
  return refusedFields(fields, unknown ? codes.UnknownField : wholeBody ? codes.InvalidBody : codes.InvalidParameter);
}

function badUrl(detail: string): ServiceError {
  return new ServiceError(codes.InvalidParameter, 'route request', detail);
}

/** A request that Node's parser gave up before there was a request (`clientError`). */
export function asConnectionError(error: Error & { readonly code?: string }): ServiceError {
  if (error.code === 'HPE_HEADER_OVERFLOW') return tooLarge('the headers are larger than 16 KiB');
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return new ServiceError(codes.RequestTimeout, 'read request', 'the request did not come in time; send it again');
  }
  const reason = quote(error.code ?? error.message);
  return new ServiceError(codes.InvalidParameter, 'read request', `this is not a proper HTTP request (${reason})`);
}
