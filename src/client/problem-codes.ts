// The error codes that command line and panel handle (docs/errors.md).
import { ApiProblem } from './api-problem.ts';

export const problemCodes = {
  unauthorized: 401,
  noSuchEndpoint: 404,
  setWouldShrink: 6006,
  coveredByTrusted: 6007,
  liveConfigurationKept: 6020,
  wideNetwork: 6030,
  setFull: 6031,
  claimedByList: 6035,
  countMismatch: 6040,
  tlsNotConfigured: 6043,
  certificateInUse: 6044,
  acmeNotConfigured: 6058,
  alreadyOrdered: 6059,
  insightOff: 7010,
  insightLoading: 7011,
} as const;

export function isProblem(error: unknown, code: number): error is ApiProblem {
  return error instanceof ApiProblem && error.code === code;
}
