import { codes } from '../../errors/catalogue.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { MapFileError } from '../../haproxy/map-file/map-file.ts';
import { type ChangeCounts, nothingChanged } from '../answers.ts';

/**
 * A failure as its client hears it: what the database and the map file say of themselves as it is, anything else as a
 * defect of ours. Both name what of the request is durable all the same.
 * @param committed absent: nothing is
 */
export function changeFailure(error: unknown, committed: ChangeCounts | null = null): ServiceError {
  const known = knownFailure(error) ?? defect(error, committed);
  if (committed === null && known.code !== codes.ChangeFailed) return known;
  const { added, updated, removed } = committed ?? nothingChanged;
  const members = { ...known.members, committed: { added, updated, removed } };
  const { retryAfterSeconds, fields } = known;
  return new ServiceError(known.code, known.op, known.detail, {
    cause: known.cause ?? known,
    fields,
    members,
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  });
}

function knownFailure(error: unknown): ServiceError | null {
  if (error instanceof ServiceError) return error.code === codes.ChangeFailed ? null : error;
  if (!(error instanceof MapFileError) || isDefect(error.cause)) return null;
  return new ServiceError(codes.MapFileUnusable, 'change blocked set', error.message, {
    cause: error,
    retryAfterSeconds: 5,
  });
}

/** What the language throws of a mistake in the program; the system's own errors have a code. */
export function isDefect(cause: unknown): boolean {
  return (cause instanceof TypeError || cause instanceof ReferenceError) && !('code' in cause);
}

/** Its cause is for the log alone. */
function defect(error: unknown, committed: ChangeCounts | null): ServiceError {
  const cause = error instanceof ServiceError ? (error.cause ?? error) : error;
  const what =
    committed === null
      ? 'nothing was changed'
      : 'what `committed` counts is stored, and the running proxy is compared with it within 30 s';
  const detail = `the service failed unexpectedly: ${what}; its log has the cause under the id of this request`;
  return new ServiceError(codes.ChangeFailed, 'change blocked set', detail, { cause });
}
