// The HAProxy binaries that the tests run on: the distribution's and those of install-haproxy, or the list in
// PROXY_MANAGER_TEST_PROXY_BINS.
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
  /** What is missing, with the way to get it where there is one. */
  readonly missing: string;
}

export interface TestProxies {
  /** In ascending order of version, each version once. */
  readonly found: readonly ProxyBinary[];
  readonly missing: readonly MissingProxy[];
}

/** The release branches beside the distribution's package. */
const branches = ['3.0', '3.2', '3.4'];
/** Branches that testkit/install-haproxy can install; 3.4 has no Debian package yet. */
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

/** What there is stays while tests run; asking all of them takes a tenth of a second. */
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

/** Every binary found, and every one that is missing. */
export function testProxies(): TestProxies {
  const proxies = listed();
  const found = proxies
    .filter((proxy) => 'version' in proxy)
    .filter((proxy, index, all) => all.findIndex((other) => other.version === proxy.version) === index)
    .sort((one, other) => one.major - other.major || one.minor - other.minor);
  return { found, missing: proxies.filter((proxy) => 'missing' in proxy) };
}

/**
 * The binaries for tests of the whole product: the first of the list, which is the distribution's, and the newest. All
 * of them in `npm run test:long`, which sets PROXY_MANAGER_TEST_LONG.
 */
export function productProxies(): TestProxies {
  const { found, missing } = testProxies();
  if (longTests) return { found, missing };
  const first = listed().find((proxy) => 'version' in proxy)?.version;
  const chosen = found.filter(({ version }, index) => version === first || index === found.length - 1);
  // The tests that run on every version name the missing branches.
  return { found: chosen, missing: chosen.length > 0 ? [] : missing };
}

/** Set for `npm run test:long`: every case of every matrix, on every version. */
export const longTests = env.PROXY_MANAGER_TEST_LONG === 'yes';

/** The same tests on every binary found: contracts, parsers, single parts. Each missing binary is a skipped test that names it. */
export function describeOnEachProxy(name: string, tests: (proxy: ProxyBinary) => void): void {
  describeOn(testProxies(), name, tests);
}

/** The same tests on the binaries of `productProxies`: for the whole product, whose start costs a second each. */
export function describeOnProductProxies(name: string, tests: (proxy: ProxyBinary) => void): void {
  describeOn(productProxies(), name, tests);
}

/**
 * The same tests on the first of `productProxies`: for what depends little on HAProxy. All of them in
 * `npm run test:long`.
 */
export function describeOnOneProxy(name: string, tests: (proxy: ProxyBinary) => void): void {
  const { found, missing } = productProxies();
  describeOn({ found: longTests ? found : found.slice(0, 1), missing }, name, tests);
}

/** As `describeOnOneProxy`, on the newest: the blocks are divided between both, so that each runs about half of them. */
export function describeOnNewestProxy(name: string, tests: (proxy: ProxyBinary) => void): void {
  const { found, missing } = productProxies();
  describeOn({ found: longTests ? found : found.slice(-1), missing }, name, tests);
}

/** Whether a test inside `describeOnProductProxies` that no version does differently runs on this one. */
export function isOnlyProxyFor(bin: string): boolean {
  return longTests || productProxies().found[0]?.bin === bin;
}

/** The place of this binary among `productProxies`: cases of a matrix are dealt out to them in turn. */
export function isDealtTo(bin: string, index: number): boolean {
  const { found } = productProxies();
  return longTests || index % found.length === found.findIndex((proxy) => proxy.bin === bin);
}

/** Like `define`, for tests that `npm test` runs on one version each: they are dealt out to `productProxies` in turn. */
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

/** All of a matrix in `npm run test:long`; in `npm test` the given sample of it, always the same. */
export function sampled<T>(all: readonly T[], sample: (one: T, index: number) => boolean): readonly T[] {
  return longTests ? all : all.filter(sample);
}

function describeOn({ found, missing }: TestProxies, name: string, tests: (proxy: ProxyBinary) => void): void {
  for (const proxy of found) describe(`${name} on HAProxy ${proxy.version}`, () => tests(proxy));
  for (const { bin, missing: why } of missing) {
    describe.skip(`${name}: skipped, ${why}`, () => tests({ bin, version: '', major: 0, minor: 0 }));
  }
}
