// Compares what is said of a front end with what HAProxy does with the requests of upstreams there.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../../../testkit/conditions.ts';
import { freePort } from '../../../testkit/free-port.ts';
import { describeOnProductProxies, longTests } from '../../../testkit/proxies.ts';
import { testSeed } from '../../../testkit/seed.ts';
import { upstreamLines } from '../../attach/texts.ts';
import { upstreamUsesIn } from './blocked-rule.ts';
import { inForceOf } from './upstream-use.ts';

const caseCount = longTests ? 2_000 : 120;
const askedTogether = 40;
const [headerPeer, proxyPeer] = ['127.0.0.6', '127.0.0.9'];
const [blocked, allowed] = ['203.0.113.9', '198.51.100.1'];

interface Case {
  readonly lines: readonly string[];
  readonly mode: readonly string[];
}

interface Met {
  readonly text: string;
  readonly inForce: { readonly byHeader: boolean | null; readonly byProxyProtocol: boolean | null };
  /** What HAProxy did otherwise than it should with upstreams in force. */
  readonly wrong: { readonly byHeader: readonly string[]; readonly byProxyProtocol: readonly string[] };
}

describeOnProductProxies('what is said of upstreams in a front end', ({ bin }) => {
  let folder: string;
  let met: Met[];
  let proxy: ChildProcess;
  const server = createServer((_request, response) => response.end('served'));
  const file = (name: string) => join(folder, name);

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pm-'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const maps = {
      blockedMap: file('blocked.map'),
      trustedMap: file('trusted.map'),
      upstreamsMap: file('upstreams.map'),
      proxyProtocolMap: file('proxy.map'),
    };
    // The upstreams are inside a blocked network, and served nevertheless.
    await writeFile(maps.blockedMap, `127.0.0.0/27 1\n${blocked} 1\n`);
    await writeFile(maps.trustedMap, '');
    await writeFile(maps.upstreamsMap, `${headerPeer} 6\n${proxyPeer} 9\n`);
    await writeFile(maps.proxyProtocolMap, `${proxyPeer} 1\n`);
    const port = await freePort();
    const { port: up } = server.address() as AddressInfo;
    const cases = fc.sample(caseOf(maps), { numRuns: caseCount, seed: testSeed });
    const address = (index: number) => `127.78.${1 + (index >> 7)}.${1 + (index & 127)}`;
    const texts = cases.map((one, index) => textOf(one, { index, address: address(index), port, up }));
    const config = file('haproxy.cfg');
    const tables = ['backend pm_unnamed', 'stick-table type ipv6 size 1k expire 1m store http_req_cnt', ''];
    await writeFile(config, `${timeouts}${tables.join('\n')}${texts.join('')}`);
    const environment = { ...process.env, YES: '1' };
    expect(await problemsOf(bin, config, environment)).toEqual([]);
    proxy = spawn(bin, ['-db', '-f', config], { stdio: 'ignore', env: environment });
    await eventually('HAProxy listens', () => isListening(address(0), port));
    met = [];
    for (let first = 0; first < texts.length; first += askedTogether) {
      const indexes = texts.slice(first, first + askedTogether).map((_text, offset) => first + offset);
      met.push(...(await Promise.all(indexes.map((index) => meet(index)))));
    }

    async function meet(index: number): Promise<Met> {
      const text = texts[index] ?? '';
      const { frontEnds } = inForceOf(upstreamUsesIn(`${timeouts}${text}`, maps));
      // Without HTTP no header is read, so nothing is said of it.
      const isHttp = cases[index]?.mode.includes('mode http') === true;
      const said = (needsProxyProtocol: boolean) => frontEnds(needsProxyProtocol)?.[0]?.inForce ?? null;
      const at = { address: address(index), port };
      const [byHeader, byProxyProtocol] = [await wrongByHeader(at), await wrongByProxyProtocol(at)];
      return {
        text,
        inForce: { byHeader: isHttp ? said(false) : null, byProxyProtocol: said(true) },
        wrong: { byHeader, byProxyProtocol: [...(isHttp ? byHeader : []), ...byProxyProtocol] },
      };
    }
  }, 120_000);

  afterAll(async () => {
    if (proxy !== undefined) {
      const gone = new Promise((resolve) => proxy.once('exit', resolve));
      proxy.kill('SIGKILL');
      await gone;
    }
    server.close();
    server.closeAllConnections();
    await rm(folder, { recursive: true });
  });

  test.each(['byHeader', 'byProxyProtocol'] as const)('in force is what HAProxy judges %s', (how) => {
    const claimed = met.filter(({ inForce }) => inForce[how] === true);
    expect(claimed.length).toBeGreaterThan(caseCount / 20);
    expect(claimed.filter(({ wrong }) => wrong[how].length > 0).slice(0, 3)).toEqual([]);
  });

  test.each(['byHeader', 'byProxyProtocol'] as const)('not in force is what HAProxy does not judge %s', (how) => {
    const claimed = met.filter(({ inForce }) => inForce[how] === false);
    expect(claimed.length).toBeGreaterThan(caseCount / 20);
    expect(claimed.filter(({ wrong }) => wrong[how].length === 0).slice(0, 3)).toEqual([]);
  });
});

const timeouts =
  'defaults\n    timeout connect 5s\n    timeout client 20s\n    timeout server 20s\n    timeout http-request 5s\n';

interface Maps {
  readonly blockedMap: string;
  readonly trustedMap: string;
  readonly upstreamsMap: string;
  readonly proxyProtocolMap: string;
}

/** The rules for upstreams, of which some are missing, moved, narrowed, or under an `.if`. */
function caseOf(maps: Maps): fc.Arbitrary<Case> {
  const look = `{ src,map_ip(${maps.blockedMap},0) -m int gt 0 } !{ src,map_ip(${maps.trustedMap},0) -m int gt 0 }`;
  const isUpstream = '{ var(txn.pm_upstream) -m int 1:6 9 21:26 }';
  const inUpstream = `{ src,map_ip_int(${maps.upstreamsMap},0) -m int 1:6 9 21:26 }`;
  const expects = `tcp-request connection expect-proxy layer4 if { src,map_ip_int(${maps.proxyProtocolMap},0) -m int gt 0 }`;
  const short = [
    expects,
    `http-request set-var(txn.pm_upstream) src,map_ip_int(${maps.upstreamsMap},0)`,
    `http-request set-src req.hdr_ip(x-real-ip) if ${isUpstream}`,
    'http-request set-var(txn.pm_upstream) int(0) if { req.hdr_ip(x-real-ip) -m found }',
    `http-request deny if ${look} !${isUpstream}`,
  ];
  const viaVariable = [
    ...short.slice(0, 2),
    `http-request set-var(txn.c) req.hdr_ip(x-real-ip) if ${isUpstream}`,
    `http-request set-src var(txn.c) if ${isUpstream}`,
    'http-request set-var(txn.pm_upstream) int(0) if { var(txn.c) -m found }',
    ...short.slice(4),
  ];
  const printed = upstreamLines(maps, 1).filter((line) => !/stick-table|^backend|^$/.test(line.trim()));
  const raw = [expects, `tcp-request session reject if ${look}`];
  const extra = fc.constantFrom(
    `tcp-request connection reject if ${look}`,
    `tcp-request connection reject if ${look} !${inUpstream}`,
    `http-request deny deny_status 403 if ${look}`,
    `http-request deny if ${look} { path /x }`,
    'http-request set-src hdr(x-none)',
    'http-request set-src src,ipmask(32)',
    'http-request del-header x-real-ip',
    'http-request set-var(txn.pm_upstream) int(0)',
  );
  const change = fc.oneof(
    fc.record({ kind: fc.constant('drop' as const), at: fc.nat() }),
    fc.record({ kind: fc.constant('swap' as const), at: fc.nat() }),
    fc.record({
      kind: fc.constant('narrow' as const),
      at: fc.nat(),
      by: fc.constantFrom('{ dst_port gt 0 }', '{ dst_port 1 }'),
    }),
    fc.record({ kind: fc.constant('wrap' as const), at: fc.nat(), by: fc.constantFrom('YES', 'NO') }),
    fc.record({ kind: fc.constant('insert' as const), at: fc.nat(), by: extra }),
  );
  const http = fc.oneof(
    { arbitrary: fc.constant(['mode http']), weight: 9 },
    { arbitrary: fc.constantFrom(['.if defined(YES)', 'mode http', '.endif']), weight: 1 },
  );
  const withHttp = fc.record({ lines: fc.constantFrom(short, short, viaVariable, printed), mode: http });
  const withoutHttp = fc.record({ lines: fc.constant(raw), mode: fc.constant(['mode tcp']) });
  return fc
    .record({
      base: fc.oneof({ arbitrary: withHttp, weight: 4 }, { arbitrary: withoutHttp, weight: 1 }),
      changes: fc.array(change, { maxLength: 2 }),
    })
    .map(({ base, changes }) => ({
      mode: base.mode,
      lines: changes.reduce<readonly string[]>((lines, one) => changed(lines, one, base.mode), base.lines),
    }));
}

type Change =
  | { readonly kind: 'drop' | 'swap'; readonly at: number }
  | { readonly kind: 'narrow' | 'wrap' | 'insert'; readonly at: number; readonly by: string };

/** Lines of acls stay, as HAProxy refuses a rule that names a missing one. */
function changed(lines: readonly string[], change: Change, mode: readonly string[]): readonly string[] {
  const rules = lines.flatMap((line, index) => (/^\s*(http|tcp)-request/.test(line) ? [index] : []));
  const at = rules[change.at % Math.max(rules.length, 1)] ?? 0;
  const line = lines[at] ?? '';
  const replaced = (...by: readonly string[]) => [...lines.slice(0, at), ...by, ...lines.slice(at + 1)];
  switch (change.kind) {
    case 'drop':
      return replaced();
    case 'swap': {
      const next = rules.includes(at + 1) ? at + 1 : at;
      return lines.map((one, index) => (index === at ? (lines[next] ?? '') : index === next ? line : one));
    }
    case 'narrow':
      return / or |expect-proxy layer4$/.test(line)
        ? lines
        : replaced(`${line}${/ if /.test(line) ? '' : ' if'} ${change.by}`);
    case 'wrap':
      return replaced(`.if defined(${change.by})`, line, '.endif');
    case 'insert':
      return change.by.startsWith('http-request') && mode.includes('mode tcp') ? lines : replaced(change.by, line);
  }
}

function textOf(
  { lines, mode }: Case,
  { index, address, port, up }: { index: number; address: string; port: number; up: number },
): string {
  return [
    `frontend f${index}`,
    ...mode,
    `bind ${address}:${port}`,
    ...lines.map((line) => line.trim()),
    `default_backend b${index}`,
    `backend b${index}`,
    ...mode,
    `server up 127.0.0.1:${up}`,
    '',
  ].join('\n');
}

interface Place {
  readonly address: string;
  readonly port: number;
}

async function wrongByHeader({ address, port }: Place): Promise<string[]> {
  const asked = async (client?: string) =>
    await ask(address, port, headerPeer, { headers: client === undefined ? '' : `X-Real-IP: ${client}\r\n` });
  return wrongOf({ blocked: await asked(blocked), allowed: await asked(allowed), none: await asked() });
}

async function wrongByProxyProtocol({ address, port }: Place): Promise<string[]> {
  const asked = async (client: string) =>
    await ask(address, port, proxyPeer, { preface: `PROXY TCP4 ${client} ${address} 1 ${port}\r\n` });
  return wrongOf({ blocked: await asked(blocked), allowed: await asked(allowed) });
}

function wrongOf(replies: Readonly<Record<string, string>>): string[] {
  return Object.entries(replies).flatMap(([who, reply]) => {
    const isServed = / 200 /.test(reply);
    return isServed === (who === 'blocked') ? [`${who}: ${reply}`] : [];
  });
}

function isListening(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

/** The first line of the reply; empty when the connection ends without one. */
function ask(
  host: string,
  port: number,
  from: string,
  { headers = '', preface = '' }: { headers?: string; preface?: string } = {},
): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    const socket = connect({ host, port, localAddress: from });
    const end = () => {
      socket.destroy();
      resolve(text.split('\r\n')[0] ?? '');
    };
    socket.on('data', (bytes) => {
      text += bytes;
      if (text.includes('\r\n')) end();
    });
    socket.once('end', end).once('error', end).once('close', end);
    socket.write(`${preface}GET / HTTP/1.1\r\nHost: x\r\n${headers}Connection: close\r\n\r\n`);
  });
}

function problemsOf(bin: string, config: string, env: NodeJS.ProcessEnv): Promise<string[]> {
  return new Promise((resolve) => {
    execFile(bin, ['-c', '-f', config], { env }, (_error, _out, stderr) =>
      resolve(stderr.split('\n').filter((line) => line.includes('[ALERT]'))),
    );
  });
}
