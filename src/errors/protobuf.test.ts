import { fromBinary } from '@bufbuild/protobuf';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { catalogue } from './catalogue.ts';
import { ApiErrorSchema, ErrSchema } from './gen/errors/v1/errors_pb.ts';
import { encodeApiError, encodeErr } from './protobuf.ts';
import { ServiceError } from './service-error.ts';

const utf8 = (text: string): number[] => [...new TextEncoder().encode(text)];
/** A field whose key needs two bytes (numbers 16 to 2047), in the protobuf wire format. */
const key = (number: number, wireType: number): number[] => {
  const value = number * 8 + wireType;
  return [(value & 0x7f) | 0x80, value >> 7];
};

describe('Err', () => {
  it('has the field numbers of rule 16', () => {
    const error = new ServiceError(1002, 'op', 'msg', { cause: new Error('std') });
    expect([...encodeErr(error)]).toEqual([
      // code = 10, varint; its key 80 fits one byte
      ...[0x50, 0xea, 0x07],
      ...[...key(20, 2), 3, ...utf8('msg')],
      ...[...key(30, 2), 2, ...utf8('op')],
      ...[...key(50, 2), 3, ...utf8('std')],
    ]);
    const none = [...encodeErr(new ServiceError(1, '', ''))];
    expect(none).toEqual([0x50, 1, ...key(60, 0), 0]);
    const outer = new ServiceError(2, '', '', { cause: new ServiceError(1, '', '') });
    expect([...encodeErr(outer)]).toEqual([0x50, 2, ...key(40, 2), none.length, ...none]);
  });

  it('carries the whole chain of causes to a generated decoder', () => {
    const disk = new Error('cannot write', { cause: new Error('ENOSPC') });
    const inner = new ServiceError(6004, 'write map file', 'the map file cannot be written', { cause: disk });
    const outer = new ServiceError(6005, 'reload', 'the reload was rolled back', { cause: inner });
    const decoded = fromBinary(ErrSchema, encodeErr(outer));
    expect(decoded).toMatchObject({
      code: 6005,
      msg: 'the reload was rolled back',
      op: 'reload',
      wrapped: {
        case: 'err',
        value: {
          code: 6004,
          msg: 'the map file cannot be written',
          op: 'write map file',
          wrapped: { case: 'stdError', value: 'cannot write: ENOSPC' },
        },
      },
    });
  });

  it('sets none to false when nothing is wrapped', () => {
    expect(fromBinary(ErrSchema, encodeErr(new ServiceError(404, 'op', 'x'))).wrapped).toEqual({
      case: 'none',
      value: false,
    });
  });

  it('ends although its causes form a cycle', () => {
    const error = new ServiceError(100, 'op', 'round');
    error.cause = error;
    expect(encodeErr(error).length).toBeLessThan(1000);
    const plain = new Error('round');
    plain.cause = plain;
    expect(encodeErr(new ServiceError(100, 'op', 'x', { cause: plain })).length).toBeLessThan(1000);
  });

  it('reveals nothing of an unexpected error', () => {
    const foreseen = new ServiceError(500, 'op', 'detail', { cause: new Error('secret') });
    for (const error of [new Error('secret', { cause: new Error('secret') }), foreseen]) {
      expect(fromBinary(ErrSchema, encodeErr(error))).toMatchObject({ code: 500, wrapped: { case: 'none' } });
      for (const bytes of [encodeErr(error), encodeApiError(error)]) {
        expect(new TextDecoder().decode(bytes)).not.toContain('secret');
      }
    }
  });
});

describe('ApiError', () => {
  it('has the documented field numbers', () => {
    const error = new ServiceError(404, 'o', 'm');
    const inner = [0x0a, 6, ...utf8('Search'), 0x12, 1, ...utf8('o'), 0x1a, 1, ...utf8('m'), 0x22, 0];
    expect([...encodeApiError(error)]).toEqual([0x52, inner.length, ...inner, ...key(20, 0), 0x94, 0x03]);
  });

  it('carries kind, operation, message, field errors, causes and status to a generated decoder', () => {
    const error = new ServiceError(100, 'put site', 'two fields are wrong', {
      fields: [
        { name: 'servers.0.port', description: 'must be from 1 to 65535' },
        { name: 'servers.0.address', description: 'is empty' },
      ],
      cause: new ServiceError(106, 'parse server', 'bad server', { cause: new Error('deep') }),
    });
    const decoded = fromBinary(ApiErrorSchema, encodeApiError(error));
    expect(decoded).toMatchObject({
      status: 400,
      apiError: {
        kind: 'Parameter',
        op: 'put site',
        message: 'two fields are wrong',
        details: {
          requestFields: [
            { name: 'servers.0.port', description: 'must be from 1 to 65535' },
            { name: 'servers.0.address', description: 'is empty' },
          ],
          wrappedErrors: [
            { op: 'parse server', message: 'bad server' },
            { op: '', message: 'deep' },
          ],
        },
      },
    });
  });
});

const text = fc.string({ unit: 'grapheme', maxLength: 40 });
const anyError = fc
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

it('an error is read back as it was written', () => {
  fc.assert(
    fc.property(anyError, (one) => {
      expect(fromBinary(ErrSchema, encodeErr(one))).toMatchObject({ code: one.code, op: one.op, msg: one.detail });
      const { apiError, status } = fromBinary(ApiErrorSchema, encodeApiError(one));
      expect(status).toBe(one.status);
      expect(apiError).toMatchObject({ kind: one.kind, op: one.op, message: one.detail });
      expect(apiError?.details?.requestFields.map(({ name, description }) => ({ name, description }))).toEqual(
        one.fields,
      );
    }),
  );
});
