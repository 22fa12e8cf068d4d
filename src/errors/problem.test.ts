import { describe, expect, it } from 'vitest';
import { toProblem } from './problem.ts';
import { asServiceError, ServiceError } from './service-error.ts';

describe('a problem document', () => {
  it('has the standard members, the code, its kind, the operation, the field errors and the request id', () => {
    const error = new ServiceError(101, 'block address', '10.0.0.1/8 has host bits set; did you mean 10.0.0.0/8?', {
      fields: [{ name: 'ip_address', description: 'has host bits set' }],
    });
    expect(toProblem(error, 'r-1')).toEqual({
      status: 400,
      body: {
        type: 'urn:proxy-manager:error:101',
        title: 'invalid IP address or network',
        status: 400,
        detail: '10.0.0.1/8 has host bits set; did you mean 10.0.0.0/8?',
        code: 101,
        kind: 'Parameter',
        op: 'block address',
        errors: [{ name: 'ip_address', description: 'has host bits set' }],
        request_id: 'r-1',
      },
    });
  });

  it("has the error's own members, which cannot replace the standard ones", () => {
    const error = new ServiceError(1100, 'unblock address', '10.0.0.1 is not blocked', {
      members: { covered_by: ['10.0.0.0/8'], code: 1, status: 200, request_id: 'forged' },
    });
    expect(toProblem(error, 'r-2').body).toMatchObject({
      covered_by: ['10.0.0.0/8'],
      code: 1100,
      status: 404,
      request_id: 'r-2',
    });
  });

  it.each([
    new Error('SQLITE_IOERR at /var/lib/secret'),
    new Error('outer', { cause: new Error('secret') }),
    'secret',
    undefined,
    { status: 404, detail: 'secret' },
  ])('reveals nothing of an unexpected error (%#)', (error) => {
    const { status, body } = toProblem(error, 'r-3');
    expect(status).toBe(500);
    expect(body).toMatchObject({ code: 500, kind: 'Internal', errors: [], request_id: 'r-3' });
    expect(JSON.stringify(body)).not.toMatch(/secret|SQLITE/);
  });
});

describe('a service error', () => {
  it('takes kind and status from its code, and keeps its cause and the time to wait', () => {
    const cause = new Error('ENOSPC');
    const error = new ServiceError(6004, 'write map file', 'the map file cannot be written', {
      cause,
      retryAfterSeconds: 5,
    });
    expect(error).toMatchObject({ kind: 'Storage', status: 503, retryAfterSeconds: 5, cause });
    expect(asServiceError(error)).toBe(error);
    expect(error.message).toBe(error.detail);
    expect(String(error)).toBe('ServiceError: the map file cannot be written');
  });

  it('reads as unknown when its code is not in the catalogue', () => {
    expect(new ServiceError(9999, 'op', 'detail')).toMatchObject({ kind: 'Other', status: 500 });
  });
});
