import { execFile } from 'node:child_process';
import { cannotBeRun, childEnvironment, programPath } from './child-environment.ts';

export interface ProxyVersion {
  /** As printed: `2.6.12-1+deb12u4`. */
  readonly text: string;
  readonly major: number;
  readonly minor: number;
}

/** What only the version shows. Not in this table: anything visible in HAProxy's replies. */
export interface ProxyCapabilities {
  /** A master-worker mode with a command socket: 1.9. */
  readonly masterSocket: boolean;
  /** `prepare map`, `commit map`: 2.4. */
  readonly versionedMaps: boolean;
  /** `del map` and `set map` find their entry in a tree: 2.9. Before, each scans all entries. */
  readonly fastDeletes: boolean;
  /** `del map` also removes the entry from a version that is being filled: until 3.1. */
  readonly deletesInEveryVersion: boolean;
  /** A new worker is forked first and reads the configuration then, listed by `show proc` meanwhile: 3.1. */
  readonly workerReadsConfiguration: boolean;
  /** `@@!<pid>`: a complete line of commands goes to a worker. Seen on 3.2 and 3.4; 3.1 was not available for a trial. */
  readonly workerLines: boolean;
  /** How it refuses headers that are larger than its buffer: 431 was seen on 3.2 and 3.4. */
  readonly largeHeadersStatus: 400 | 431;
}

export class ProxyVersionError extends Error {
  override readonly name = 'ProxyVersionError';
}

// HAProxy version 2.6.12-1+deb12u4 2026/10/17 - https://haproxy.org/
// HA-Proxy version 1.5.18 2016/05/10
// The date behind it shows that the version is complete: `2.1` may be the beginning of `2.12`.
const VERSION = /^HA-?Proxy version ((\d{1,3})\.(\d{1,3})(?![0-9])\S*) \d{4}\/\d{2}\/\d{2}(?![0-9])/m;

export function parseProxyVersion(output: string): ProxyVersion | null {
  const match = VERSION.exec(output);
  const text = match?.[1];
  return text === undefined ? null : { text, major: Number(match?.[2]), minor: Number(match?.[3]) };
}

/** As in `show proc`, without a date: `2.6.12-1+deb12u4`. */
export function parseRunningVersion(text: string): ProxyVersion | null {
  const match = /^(\d{1,3})\.(\d{1,3})(?![0-9])\S*$/.exec(text);
  return match === null ? null : { text, major: Number(match[1]), minor: Number(match[2]) };
}

function isAtLeast(version: ProxyVersion, major: number, minor: number): boolean {
  return version.major > major || (version.major === major && version.minor >= minor);
}

export function capabilitiesOf(version: ProxyVersion): ProxyCapabilities {
  return {
    masterSocket: isAtLeast(version, 1, 9),
    versionedMaps: isAtLeast(version, 2, 4),
    fastDeletes: isAtLeast(version, 2, 9),
    deletesInEveryVersion: !isAtLeast(version, 3, 2),
    workerReadsConfiguration: isAtLeast(version, 3, 1),
    workerLines: isAtLeast(version, 3, 2),
    largeHeadersStatus: isAtLeast(version, 3, 2) ? 431 : 400,
  };
}

/** @throws ProxyVersionError for unreadable output, which it quotes, and for a version below 1.6 */
export function supportedVersion(output: string, bin: string): ProxyVersion {
  const version = parseProxyVersion(output);
  if (version === null) {
    const read = JSON.stringify(output.trim().slice(0, 200));
    throw new ProxyVersionError(`${bin} -v names no HAProxy version; it printed ${read}`);
  }
  if (!isAtLeast(version, 1, 6)) {
    throw new ProxyVersionError(`${bin} is version ${version.text}; map files need HAProxy 1.6 or newer`);
  }
  return version;
}

/** Takes at most 10 s. Rejects with ProxyVersionError. */
export function readProxyVersion(bin: string): Promise<ProxyVersion> {
  return new Promise((resolve, reject) => {
    const limits = {
      timeout: 10_000,
      killSignal: 'SIGKILL' as const,
      maxBuffer: 64 * 1024,
      env: childEnvironment(),
      cwd: '/',
    };
    execFile(programPath(bin), ['-v'], limits, (error, stdout, stderr) => {
      if (error !== null) {
        reject(new ProxyVersionError(cannotBeRun(`${bin} -v`, error), { cause: error }));
        return;
      }
      try {
        resolve(supportedVersion(stdout.trim() === '' ? stderr : stdout, bin));
      } catch (refusal) {
        reject(refusal);
      }
    });
  });
}
