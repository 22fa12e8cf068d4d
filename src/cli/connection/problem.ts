// The error answers that a verb looks for by their code (docs/errors.md).
import { ApiProblem } from '../../client/client.ts';

export const problemCodes = { unauthorized: 401, noSuchEndpoint: 404, setWouldShrink: 6006 } as const;

export function isProblem(error: unknown, code: number): error is ApiProblem {
  return error instanceof ApiProblem && error.code === code;
}
