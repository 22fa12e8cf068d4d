// The proxies that tests run on: the system's HAProxy and 3.0, or those named in PROXY_MANAGER_TEST_PROXY_BINS.
import { execFileSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { env } from 'node:process';
import { describe } from 'vitest';

export interface ProxyBinary {
  readonly bin: string;
  /** As `-v` prints it, such as `2.6.12-1+deb12u4`. */
  readonly version: string;
  readonly major: number;
  readonly minor: number;
}

export interface MissingProxy {
  readonly bin: string;
  readonly missing: string;
}

const INSTALLED_3_0 = '/opt/haproxy-3.0/usr/sbin/haproxy-3.0';

function find(bin: string): string | null {
  const folders = bin.includes('/') ? [''] : [...(env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];
  for (const folder of folders) {
    const path = folder === '' ? bin : join(folder, bin);
    try {
      accessSync(path, constants.X_OK);
      return path;
    } catch (error) {
      if (!['ENOENT', 'EACCES', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    }
  }
  return null;
}

function examine(bin: string): ProxyBinary | MissingProxy {
  const path = find(bin);
  if (path === null) return { bin, missing: `${bin} is not installed` };
  const match = /version ((\d+)\.(\d+)\S*)/.exec(execFileSync(path, ['-v'], { encoding: 'utf8' }));
  if (match?.[1] === undefined) return { bin, missing: `${bin} -v names no version` };
  return { bin: path, version: match[1], major: Number(match[2]), minor: Number(match[3]) };
}

/** Those to test on, and those that are missing. */
export function testProxies(): { found: ProxyBinary[]; missing: MissingProxy[] } {
  const named = env.PROXY_MANAGER_TEST_PROXY_BINS?.split(',').map((bin) => bin.trim());
  const bins = named?.filter((bin) => bin !== '') ?? ['haproxy', INSTALLED_3_0];
  const examined = bins.map(examine);
  return {
    found: examined.filter((proxy) => 'version' in proxy),
    missing: examined.filter((proxy) => 'missing' in proxy),
  };
}

/** The same tests on every proxy. What is missing shows as a skipped test that says so. */
export function describeOnEachProxy(name: string, tests: (proxy: ProxyBinary) => void): void {
  const { found, missing } = testProxies();
  for (const proxy of found) describe(`${name} on HAProxy ${proxy.version}`, () => tests(proxy));
  for (const proxy of missing) {
    const hint = proxy.bin === INSTALLED_3_0 ? '; testkit/install-haproxy-3.0 installs it' : '';
    describe.skip(`${name}: skipped, ${proxy.missing}${hint}`, () =>
      tests({ bin: proxy.bin, version: '', major: 0, minor: 0 }));
  }
}
