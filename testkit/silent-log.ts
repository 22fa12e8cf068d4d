import type { Log } from '../src/telemetry/log.ts';

export const silentLog: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };
