// Headers, and the form of an error that is no JSON.
import Type from 'typebox';
import type { Json } from './components.ts';

export const sharedHeaders: Readonly<Record<string, Json>> = {
  'X-Request-Id': {
    description:
      'The id of this request, made by the service or, where the client sent one of the right form, taken over. It stands in every line of the log that is about this request.',
    required: true,
    schema: { type: 'string', pattern: '^[A-Za-z0-9._-]{1,64}$' },
    example: 'V1StGXR8_Z5jdHi6',
  },
  'Retry-After': {
    description: 'After how many seconds to try again. Absent where waiting does not help.',
    schema: { type: 'integer', minimum: 1, maximum: 3600 },
    example: 5,
  },
  'WWW-Authenticate': {
    description: 'RFC 6750. With a valid key that lacks a scope it names the scope.',
    required: true,
    schema: { type: 'string' },
    example: 'Bearer error="insufficient_scope", scope="admin"',
  },
  Vary: {
    description: 'The answer depends on what the request accepts.',
    schema: { type: 'string', const: 'Accept' },
    example: 'Accept',
  },
};

export function answerHeaders(...names: readonly string[]): Json {
  const all = ['X-Request-Id', ...names];
  return Object.fromEntries(all.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

export const protobufError = Type.Unsafe<string>({
  title: 'ProtobufError',
  type: 'string',
  description:
    'The same error as `errors.v1.ApiError`, with `Accept: application/x-protobuf`; as `errors.v1.Err` with `Accept: application/x-protobuf; messageType="errors.v1.Err"`. The messages are in `proto/` of the project.',
  contentMediaType: 'application/x-protobuf',
});
