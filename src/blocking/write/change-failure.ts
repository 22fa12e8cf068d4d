import { codes } from '../../errors/catalogue.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { MapFileError } from '../../haproxy/map-file/map-file.ts';
import { type ChangeCounts, nothingChanged } from '../answers.ts';

/**
 * Errors of the database and the map file stay as they are; any other becomes an internal error.
 * @param committed absent: nothing is durable
 */
export function changeFailure(error: unknown, committed: ChangeCounts | null = null): ServiceError {
  const known = knownFailure(error) ?? defect(error, committed);
  if (committed === null && known.code !== codes.ChangeFailed) return known;
  const { added, updated, removed, still_claimed_total: stays } = committed ?? nothingChanged;
  const counts = { added, updated, removed, ...(stays !== undefined && { still_claimed_total: stays }) };
  const members = { ...known.members, committed: counts };
  const { retryAfterSeconds, fields } = known;
  return new ServiceError(known.code, known.op, known.detail, {
    cause: known.cause ?? known,
    fields,
    members,
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  });
}

/** Whether the failed change had stored something. */
export function hasStored({ members }: ServiceError): boolean {
  return Object.values((members['committed'] ?? {}) as Partial<ChangeCounts>).some((count) => count > 0);
}

/** For work before which nothing is durable. */
export async function stored<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw changeFailure(error);
  }
}

function knownFailure(error: unknown): ServiceError | null {
  if (error instanceof ServiceError) return error.code === codes.ChangeFailed ? null : error;
  if (!(error instanceof MapFileError) || isDefect(error.cause)) return null;
  return new ServiceError(codes.MapFileUnusable, 'change blocked set', error.message, {
    cause: error,
    retryAfterSeconds: 5,
  });
}

/** JavaScript throws these for a defect in the program; system errors have a code. */
export function isDefect(cause: unknown): boolean {
  return (cause instanceof TypeError || cause instanceof ReferenceError) && !('code' in cause);
}

/** Its cause is only logged. */
function defect(error: unknown, committed: ChangeCounts | null): ServiceError {
  const cause = error instanceof ServiceError ? (error.cause ?? error) : error;
  const what =
    committed === null
      ? 'nothing was changed'
      : 'what `committed` counts is stored, and the running proxy is compared with it within 30 s';
  return new ServiceError(codes.ChangeFailed, 'change blocked set', unexpected(what), { cause });
}

/** @param what is stored, or that nothing was changed */
export function unexpected(what: string): string {
  return `the service failed unexpectedly: ${what}; its log has the cause under the id of this request`;
}
