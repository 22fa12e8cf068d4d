// Protobuf messages of errors: round trips, and hostile bytes are refused quickly.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { damaged } from '../../testkit/damage.ts';
import { catalogue } from './catalogue.ts';
import { errorMediaType } from './negotiate.ts';
import { decodeApiError, decodeErr, encodeApiError, encodeErr, MalformedMessage } from './protobuf.ts';
import { ServiceError } from './service-error.ts';

const text = fc.string({ unit: 'grapheme', maxLength: 40 });
const error = fc
  .tuple(
    fc.constantFrom(...catalogue.keys()),
    text,
    text,
    fc.array(fc.tuple(text, text), { maxLength: 5 }),
    fc.array(text, { maxLength: 5 }),
  )
  .map(([code, op, detail, fields, causes]) => {
    const cause = causes.reduceRight<Error | undefined>(
      (inner, message) => new Error(message, { cause: inner }),
      undefined,
    );
    return new ServiceError(code, op, detail, {
      fields: fields.map(([name, description]) => ({ name, description })),
      ...(cause === undefined ? {} : { cause }),
    });
  });

test('an error is read back as it was written', () => {
  fc.assert(
    fc.property(error, (one) => {
      expect(decodeErr(encodeErr(one))).toMatchObject({ code: one.code, op: one.op, msg: one.detail, kind: one.kind });
      const { apiError, status } = decodeApiError(encodeApiError(one));
      expect(status).toBe(one.status);
      expect(apiError).toMatchObject({ kind: one.kind, op: one.op, message: one.detail });
      expect(apiError?.details?.requestFields.map(({ name, description }) => ({ name, description }))).toEqual(
        one.fields,
      );
    }),
  );
});

describe.each([
  // The keys of `msg`, a text, and of `api_error`, a message that contains one.
  ['errors.v1.Err', encodeErr, decodeErr, [0xa2, 0x01], [0xc3]],
  ['errors.v1.ApiError', encodeApiError, decodeApiError, [0x52], [0x0a, 0x01, 0xc3]],
] as const)('%s', (_name, encode, decode, key, noUtf8) => {
  const read = (bytes: Uint8Array): unknown => {
    try {
      return decode(bytes);
    } catch (refusal) {
      expect(refusal).toBeInstanceOf(MalformedMessage);
      return refusal;
    }
  };

  test('from damaged or random bytes is read or refused', () => {
    fc.assert(
      fc.property(
        error.chain((one) => damaged(Buffer.from(encode(one)))),
        (bytes) => void read(bytes),
      ),
      { numRuns: 500 },
    );
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => void read(bytes)),
      { numRuns: 500 },
    );
  });

  test.each([
    ['a length beyond the end', [...key, 0xff, 0xff, 0xff, 0xff, 0x0f]],
    ['an endless varint', Array(100).fill(0xff)],
    ['a group that never ends', Array(10_000).fill(0x0b)],
    ['no UTF-8', [...key, noUtf8.length, ...noUtf8]],
    ['a field number of zero', [0x00]],
  ])('%s is refused', (_what, bytes) => {
    expect(read(Uint8Array.from(bytes))).toBeInstanceOf(MalformedMessage);
  });

  test('nested ten thousand deep is refused', () => {
    let bytes = Buffer.alloc(0);
    // Field 40 of Err, `err`; field 10 of ApiError is skipped as unknown below its first level.
    for (let level = 0; level < 10_000; level += 1) {
      bytes = Buffer.concat([Buffer.from([0xc2, 0x02]), varint(bytes.length), bytes]);
    }
    const outcome = read(bytes);
    if (decode === decodeErr) expect(outcome).toBeInstanceOf(MalformedMessage);
  });
});

function varint(value: number): Buffer {
  const bytes: number[] = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return Buffer.from([...bytes, rest]);
    bytes.push((rest % 128) | 0x80);
  }
}

test('an Accept header of any form asks for one of the forms', () => {
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
