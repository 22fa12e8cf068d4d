// Which program services run.
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** For a program whose temporary folder must be empty in the end. */
export const compileCacheVariable = 'PROXY_MANAGER_TEST_COMPILE_CACHE';
export const compileCache = (): string =>
  process.env[compileCacheVariable] ?? join(tmpdir(), 'proxy-manager-test-compile-cache');

/** What `npm run build` would make: set by vitest for all tests, and by the first service of other programs. */
export const programVariable = 'PROXY_MANAGER_TEST_PROGRAM';
export const program = (): string => process.env[programVariable] ?? join(import.meta.dirname, '../bin/proxy-manager');
