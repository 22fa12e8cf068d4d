import { codes } from '../../errors/catalogue.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { ConfigurationCheckError } from '../../haproxy/process/binary.ts';

const retryAfterSeconds = 10;

/**
 * Turns a failure of the machine (a full disk, HAProxy cannot be run) into a 503 with its cause: neither the request
 * nor the configuration is wrong. Returns any other error unchanged.
 */
export function toConfigurationError(error: unknown, op: string): unknown {
  if (error instanceof ServiceError || !(error instanceof Error)) return error;
  const options = { cause: error, retryAfterSeconds };
  if (error instanceof ConfigurationCheckError) {
    return new ServiceError(
      codes.Unavailable,
      op,
      `HAProxy could not check the configuration: ${error.message}`,
      options,
    );
  }
  if (!isSystemError(error)) return error;
  const detail = `a configuration file cannot be read or written: ${error.message}; check that the disk has room and that the service may write there`;
  return new ServiceError(codes.ConfigurationFilesUnusable, op, detail, options);
}

/** `ENOSPC: no space left on device, write`; a code of Node's own (`ERR_…`) is a bug of ours. */
function isSystemError(error: NodeJS.ErrnoException): boolean {
  return typeof error.code === 'string' && typeof error.syscall === 'string' && error.code.startsWith('E');
}
