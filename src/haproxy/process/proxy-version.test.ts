import { expect, it } from 'vitest';
import { describeOnEachProxy } from '../../../testkit/proxies.ts';
import {
  capabilitiesOf,
  ProxyVersionError,
  parseProxyVersion,
  readProxyVersion,
  supportedVersion,
} from './proxy-version.ts';

const versionOf = (text: string) => supportedVersion(text, 'haproxy');

it.each([
  ['HAProxy version 2.6.12-1+deb12u4 2026/10/17 - https://haproxy.org/\nStatus: long-term\n', '2.6.12-1+deb12u4', 2, 6],
  ['HA-Proxy version 1.6.3 2015/12/25\n', '1.6.3', 1, 6],
  ['HA-Proxy version 2.1-dev0-a1b2c3 2019/12/16 - https://haproxy.org/\n', '2.1-dev0-a1b2c3', 2, 1],
  ['[WARNING] something\nHAProxy version 3.12.0 2027/01/01', '3.12.0', 3, 12],
])('reads the version from %j', (output, text, major, minor) =>
  expect(versionOf(output)).toEqual({ text, major, minor }),
);

it('a version below 1.6 is refused by its number', () => {
  expect(() => versionOf('HA-Proxy version 1.5.18 2016/05/10')).toThrow(/1\.5\.18.*1\.6 or newer/);
});

it.each(['', 'nginx version: 1.22', 'HAProxy version x'])(
  'refuses the output %j, which the message quotes',
  (output) => {
    expect(parseProxyVersion(output)).toBeNull();
    expect(() => versionOf(output)).toThrow(ProxyVersionError);
    expect(() => versionOf(output)).toThrow(JSON.stringify(output));
  },
);

it.each([
  ['1.8.30', [false, false, false, true, false, false, 400]],
  ['1.9.0', [true, false, false, true, false, false, 400]],
  ['2.4.0', [true, true, false, true, false, false, 400]],
  ['2.6.12', [true, true, false, true, false, false, 400]],
  ['2.9.0', [true, true, true, true, false, false, 400]],
  ['3.0.11', [true, true, true, true, false, false, 400]],
  ['3.1.0', [true, true, true, true, true, false, 400]],
  ['3.2.26', [true, true, true, false, true, true, 431]],
  ['3.4.0', [true, true, true, false, true, true, 431]],
])(
  'version %s has its capabilities',
  (version, [
    masterSocket,
    versionedMaps,
    fastDeletes,
    deletesInEveryVersion,
    workerReadsConfiguration,
    workerLines,
    largeHeadersStatus,
  ]) => {
    const can = capabilitiesOf(versionOf(`HAProxy version ${version} 2026/01/01`));
    expect(can).toEqual({
      masterSocket,
      versionedMaps,
      fastDeletes,
      deletesInEveryVersion,
      workerReadsConfiguration,
      workerLines,
      largeHeadersStatus,
    });
  },
);

it('reading the version of a missing or failing program is an error', async () => {
  await expect(readProxyVersion('/no/such/haproxy')).rejects.toThrow(
    /no\/such\/haproxy -v cannot be run: there is no such program \(PROXY_MANAGER_PROXY_BIN/,
  );
  await expect(readProxyVersion('/bin/false')).rejects.toThrow(ProxyVersionError);
  await expect(readProxyVersion('/bin/true')).rejects.toThrow('names no HAProxy version');
});

describeOnEachProxy('-v', (proxy) => {
  it('reads the version of HAProxy', async () => {
    const { version: text, major, minor } = proxy;
    expect(await readProxyVersion(proxy.bin)).toEqual({ text, major, minor });
  });
});
