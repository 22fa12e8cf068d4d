import fc from 'fast-check';
import { expect, it } from 'vitest';
import { damaged } from '../../testkit/damage.ts';
import { errorContentTypes, errorMediaType } from './negotiate.ts';

it.each([
  [undefined, 'problem+json'],
  ['', 'problem+json'],
  ['*/*', 'problem+json'],
  ['application/json', 'problem+json'],
  ['application/problem+json', 'problem+json'],
  ['text/html', 'problem+json'],
  ['application/x-protobuf', 'apierror'],
  ['APPLICATION/X-Protobuf', 'apierror'],
  ['application/x-protobuf, */*', 'apierror'],
  ['*/*, application/x-protobuf', 'apierror'],
  ['*/*, application/x-protobuf;q=0.5', 'problem+json'],
  ['*/*;q=0.1, application/x-protobuf;q=0.5', 'apierror'],
  ['application/json, application/x-protobuf', 'problem+json'],
  ['application/x-protobuf, application/json', 'apierror'],
  ['application/json;q=0.5, application/x-protobuf', 'apierror'],
  ['application/x-protobuf;q=0', 'problem+json'],
  ['application/x-protobuf;q', 'problem+json'],
  ['application/json;q=0.001, application/x-protobuf ; Q=0.002', 'apierror'],
  ['application/x-protobuf; messageType="errors.v1.Err"', 'err'],
  ['application/x-protobuf;messagetype=errors.v1.Err', 'err'],
  ['application/x-protobuf; messageType="errors.v1.ApiError"', 'apierror'],
  ['application/x-protobuf; messageType="other.v1.Thing"', 'problem+json'],
  ['application/x-protobuf; messageType="other, application/json;"; q=1', 'problem+json'],
  ['application/x-protobuf; messageType="errors.v1.Err"; q=0.4, application/x-protobuf; q=0.6', 'apierror'],
  ['application/x-protobuf; messageType="errors.v1\\.Err"', 'err'],
])('Accept %s gets %s', (accept, expected) => {
  expect(errorMediaType(accept)).toBe(expected);
});

it.each(['2', '1.001', '1.5', '0.1234', '.5', '-0.5', '+1', '1e0', '0,5', '"1"', ' 1', '', 'x', '1 1', '1;q=1'])(
  'the invalid weight q=%s selects nothing',
  (q) => expect(errorMediaType(`application/x-protobuf;q=${q}`)).toBe('problem+json'),
);

it.each(['1', '1.', '1.000', '0.001', '0.5', '0.5 '])('the weight q=%s is valid', (q) => {
  expect(errorMediaType(`application/x-protobuf;q=${q}`)).toBe('apierror');
});

it.each(Object.entries(errorContentTypes))('the form %s is selected by its own content type', (form, contentType) => {
  expect(errorMediaType(contentType)).toBe(form);
});

it('selects a form for any header', () => {
  const pieces = fc.constantFrom('application/x-protobuf', '"', '\\', ';', ',', '=', 'q', '1', ' ', '*/*', '\u00e9');
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 30 }), (parts) => {
      expect(Object.keys(errorContentTypes)).toContain(errorMediaType(parts.join('')));
    }),
  );
});

it('an Accept header of any form asks for one of the forms', () => {
  const accept = Buffer.from('application/x-protobuf; messageType="errors.v1.Err"; q=0.5, application/problem+json');
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ maxLength: 200 }),
        damaged(accept).map((bytes) => bytes.toString('latin1')),
      ),
      (given) => {
        expect(['problem+json', 'apierror', 'err']).toContain(errorMediaType(given));
      },
    ),
    { numRuns: 500 },
  );
});
