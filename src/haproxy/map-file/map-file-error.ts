type MapFileFailure =
  /** The file on disk is not as this service left it: edited, replaced, truncated, gone. */
  | 'surprise'
  | 'unwritable'
  /** An fsync or fdatasync failed: what is on disk is unknown. */
  | 'sync-failed'
  | 'behind'
  | 'not-canonical';

export class MapFileError extends Error {
  override readonly name = 'MapFileError';
  readonly reason: MapFileFailure;

  constructor(reason: MapFileFailure, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

export function asMapFileError(error: unknown, path: string, reason: MapFileFailure = 'unwritable'): MapFileError {
  if (error instanceof MapFileError) return error;
  const what = error instanceof Error ? error.message : String(error);
  const action = reason === 'sync-failed' ? 'could not be synced to disk' : 'could not be written';
  return new MapFileError(reason, `the map file ${path} ${action}: ${what}`, { cause: error });
}

export function surprise(path: string, what: string, cause?: unknown): MapFileError {
  const message = `the map file ${path} differs from what the service wrote: ${what}; it must be rewritten from the database`;
  return new MapFileError('surprise', message, cause === undefined ? {} : { cause });
}
