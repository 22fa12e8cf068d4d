// HAProxy binaries for tests: the distribution's and those of install-haproxy, or PROXY_MANAGER_TEST_PROXY_BINS.
import { execFileSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { env } from 'node:process';
import { describe, it } from 'vitest';

export interface ProxyBinary {
  readonly bin: string;
  /** As in `-v`, such as `2.6.12-1+deb12u4`. */
  readonly version: string;
  readonly major: number;
  readonly minor: number;
}

interface MissingProxy {
  readonly bin: string;
  /** How to install it, if there is a way. */
  readonly missing: string;
}

interface TestProxies {
  /** Ascending, each version once. */
  readonly found: readonly ProxyBinary[];
  readonly missing: readonly MissingProxy[];
}

const branches = ['3.0', '3.2', '3.4'];
/** testkit/install-haproxy can install these; 3.4 has no Debian package yet. */
const installable = ['3.0', '3.2'];

const installedAs = (branch: string): string => `/opt/haproxy-${branch}/usr/sbin/haproxy-${branch}`;

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
  if (path === null) {
    const branch = branches.find((one) => installedAs(one) === bin);
    if (branch === undefined) return { bin, missing: `${bin} is not installed` };
    const hint = installable.includes(branch) ? `; testkit/install-haproxy ${branch} installs it` : '';
    return { bin, missing: `HAProxy ${branch} is not installed as ${bin}${hint}` };
  }
  const match = /version ((\d+)\.(\d+)\S*)/.exec(execFileSync(path, ['-v'], { encoding: 'utf8' }));
  if (match?.[1] === undefined) return { bin, missing: `${bin} -v prints no version` };
  return { bin: path, version: match[1], major: Number(match[2]), minor: Number(match[3]) };
}

/** Cached: running every binary takes a tenth of a second. */
const examined = new Map<string, ProxyBinary | MissingProxy>();

function listed(): (ProxyBinary | MissingProxy)[] {
  const named = env.PROXY_MANAGER_TEST_PROXY_BINS?.split(',').map((bin) => bin.trim());
  const bins = named?.filter((bin) => bin !== '') ?? ['haproxy', ...branches.map(installedAs)];
  return bins.map((bin) => {
    const known = examined.get(bin) ?? examine(bin);
    examined.set(bin, known);
    return known;
  });
}

export function testProxies(): TestProxies {
  const proxies = listed();
  const found = proxies
    .filter((proxy) => 'version' in proxy)
    .filter((proxy, index, all) => all.findIndex((other) => other.version === proxy.version) === index)
    .sort((one, other) => one.major - other.major || one.minor - other.minor);
  return { found, missing: proxies.filter((proxy) => 'missing' in proxy) };
}

/** For tests of the complete product: the distribution's version and the newest; all in `npm run test:long`. */
function productProxies(): TestProxies {
  const { found, missing } = testProxies();
  if (longTests) return { found, missing };
  const first = listed().find((proxy) => 'version' in proxy)?.version;
  const chosen = found.filter(({ version }, index) => version === first || index === found.length - 1);
  // Tests that run on every version name the missing branches.
  return { found: chosen, missing: chosen.length > 0 ? [] : missing };
}

/** Set by `npm run test:long`: every case on every version. */
export const longTests = env.PROXY_MANAGER_TEST_LONG === 'yes';

/** For what `npm test` checks in parts, or in a sample. */
export const itInLongTests: (name: string, test: () => Promise<void>) => void = longTests ? it : () => undefined;

/** For the interface to HAProxy. Each missing binary is a skipped test that names it. */
export function describeOnEachProxy(name: string, tests: (proxy: ProxyBinary) => void): void {
  describeOn(testProxies(), name, tests);
}

/** For the complete product, whose start costs a second each, for what the template says, and for what a part does. */
export function describeOnProductProxies(name: string, tests: (proxy: ProxyBinary) => void): void {
  describeOn(productProxies(), name, tests);
}

/** For what depends little on HAProxy: the first of `productProxies`; all of them in `npm run test:long`. */
export function describeOnOneProxy(name: string, tests: (proxy: ProxyBinary) => void): void {
  const { found, missing } = productProxies();
  describeOn({ found: longTests ? found : found.slice(0, 1), missing }, name, tests);
}

/** Like `describeOnOneProxy`, on the newest: blocks are divided between both. */
export function describeOnNewestProxy(name: string, tests: (proxy: ProxyBinary) => void): void {
  const { found, missing } = productProxies();
  describeOn({ found: longTests ? found : found.slice(-1), missing }, name, tests);
}

/** Whether a test that is independent of the version runs on this one. */
export function isOnlyProxyFor(bin: string): boolean {
  return longTests || productProxies().found[0]?.bin === bin;
}

/** Cases of a matrix are dealt to `productProxies` in turn. */
export function isDealtTo(bin: string, index: number): boolean {
  const { found } = productProxies();
  return longTests || index % found.length === found.findIndex((proxy) => proxy.bin === bin);
}

/** Like `define`; `npm test` deals these tests to `productProxies` in turn, one version each. */
export function dealt(
  bin: string,
  define: (name: string, test: () => Promise<void>) => void,
): (name: string, test: () => Promise<void>) => void {
  let index = 0;
  return (name, test) => {
    if (isDealtTo(bin, index)) define(name, test);
    index += 1;
  };
}

/** Of a property's random cases `npm test` runs a tenth. */
export function caseCount(all: number): number {
  return longTests ? all : Math.ceil(all / 10);
}

/** In `npm test` a fixed sample of the matrix. */
export function sampled<T>(all: readonly T[], sample: (one: T, index: number) => boolean): readonly T[] {
  return longTests ? all : all.filter(sample);
}

function describeOn({ found, missing }: TestProxies, name: string, tests: (proxy: ProxyBinary) => void): void {
  for (const proxy of found) describe(`${name} on HAProxy ${proxy.version}`, () => tests(proxy));
  for (const { bin, missing: why } of missing) {
    describe.skip(`${name}: skipped, ${why}`, () => tests({ bin, version: '', major: 0, minor: 0 }));
  }
}
