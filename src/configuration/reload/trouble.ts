// What can go wrong with the machine while a configuration is changed: a disk that is full or read-only, a proxy that
// cannot be run for a check. Not the configuration's fault and not the request's, so 503 with its cause, never a 500.
import { codes } from '../../errors/catalogue.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { ConfigurationCheckError } from '../../haproxy/process/binary.ts';

const retryAfterSeconds = 10;

/** A failure of the file system or of the check as an error to answer with; every other error as it is. */
export function asConfigurationTrouble(error: unknown, op: string): unknown {
  if (error instanceof ServiceError || !(error instanceof Error)) return error;
  if (error instanceof ConfigurationCheckError) {
    return new ServiceError(
      codes.Unavailable,
      op,
      `the configuration could not be checked by the proxy: ${error.message}`,
      {
        cause: error,
        retryAfterSeconds,
      },
    );
  }
  if (!isSystemError(error)) return error;
  const detail = `a file of the configuration cannot be read or written: ${error.message}; see that the disk has room and the service may write there`;
  return new ServiceError(codes.ConfigurationFilesUnusable, op, detail, { cause: error, retryAfterSeconds });
}

/** `ENOSPC: no space left on device, write` and its like; a code of Node's own (`ERR_…`) is a mistake of ours. */
function isSystemError(error: NodeJS.ErrnoException): boolean {
  return typeof error.code === 'string' && typeof error.syscall === 'string' && error.code.startsWith('E');
}
