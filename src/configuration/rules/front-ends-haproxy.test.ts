// Compares the parser with HAProxy itself: a finding about a front end must match what a client gets there.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../../../testkit/conditions.ts';
import {
  blockedSources,
  type FrontEndCase,
  frontEndCases,
  otherSource,
  paths,
  trustedSource,
} from '../../../testkit/configuration/front-ends.ts';
import { freePort } from '../../../testkit/free-port.ts';
import { describeOnProductProxies, longTests } from '../../../testkit/proxies.ts';
import { type FrontEnd, frontEndsOf } from './front-ends.ts';

const caseCount = longTests ? 4_000 : 200;
/** Per process: a line that this version refuses fails all of them. */
const casesOfOneProcess = 200;

interface Met {
  readonly front: FrontEnd;
  readonly text: string;
  /** For each blocked source and path: what was received other than a denial. */
  readonly served: readonly { readonly source: string; readonly path: string; readonly reply: string }[];
  readonly trustedReply: string;
}

describeOnProductProxies('the reader of configurations', ({ bin }) => {
  let folder: string;
  const met: Met[] = [];
  const file = (name: string) => join(folder, name);
  const upstream = createServer((_request, response) => response.end('upstream'));
  const environment = () => ({ ...process.env, MAP: file('blocked.map'), STATUS: '403', YES: '1' });
  const started: ChildProcess[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pm-'));
    await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
    await writeFile(file('blocked.map'), `${[...blockedSources, trustedSource].map((ip) => `${ip} 1\n`).join('')}`);
    await writeFile(file('trusted.map'), `${trustedSource} 1\n`);
    await writeFile(file('other.map'), `${otherSource} 1\n`);
    const files = { blockedMap: file('blocked.map'), trustedMap: file('trusted.map'), otherMap: file('other.map') };
    const cases = frontEndCases(caseCount, files);
    for (let first = 0; first < cases.length; first += casesOfOneProcess) {
      await meet(cases.slice(first, first + casesOfOneProcess));
    }
  });

  afterAll(async () => {
    for (const proxy of started) await stop(proxy);
    upstream.close();
    await rm(folder, { recursive: true });
  });

  const meet = async (cases: readonly FrontEndCase[]) => {
    const port = await freePort();
    const { port: up } = upstream.address() as AddressInfo;
    const all = cases.map((one, index) => ({ ...one, text: textOf(one, index, port, up) }));
    const accepted = await acceptedOf(all.map(({ text }) => text));
    const proxy = spawn(bin, ['-db', ...(await write(accepted))], { env: environment(), stdio: 'ignore' });
    started.push(proxy);
    const files = accepted.map((text, index) => ({ path: file(`${index}.cfg`), text }));
    const maps = { blockedMap: file('blocked.map'), trustedMap: file('trusted.map') };
    const fronts = frontEndsOf(files, maps);
    await Promise.all(
      fronts.map(async (front) => {
        const text = all[Number(front.name.slice(1))]?.text ?? '';
        await eventually('HAProxy listens', () => isListening(front.bindLines[0]?.split(' ')[1] ?? ''));
        met.push({ front, text, ...(await probe(front, text)) });
      }),
    );
    await stop(proxy);
  };

  const acceptedOf = async (texts: readonly string[]): Promise<string[]> => {
    const verdict = await check(await write(texts));
    const refused = new Set(
      [...verdict.matchAll(/\[ALERT\][^\n]*\[\S*\/(\d+)\.cfg:\d+\]/g)].map(([, index]) => Number(index)),
    );
    const accepted = texts.filter((_text, index) => !refused.has(index));
    const again = await check(await write(accepted));
    expect(again.split('\n').filter((line) => line.includes('[ALERT]'))).toEqual([]);
    return accepted;
  };

  const write = async (texts: readonly string[]): Promise<string[]> => {
    await Promise.all(texts.map((text, index) => writeFile(file(`${index}.cfg`), text)));
    return texts.flatMap((_text, index) => ['-f', file(`${index}.cfg`)]);
  };

  const check = (words: readonly string[]): Promise<string> =>
    new Promise((resolve) => {
      execFile(bin, ['-c', ...words], { env: environment() }, (_error, _out, stderr) => resolve(stderr));
    });

  const probe = async (front: FrontEnd, text: string): Promise<Pick<Met, 'served' | 'trustedReply'>> => {
    const [host = '', port = ''] = (front.bindLines[0]?.split(' ')[1] ?? '').split(':');
    const at = {
      host,
      port: Number(port),
      behindProxy: /(accept|expect)-proxy/.test(text),
      drops: text.includes('silent-drop'),
    };
    const asked = blockedSources.flatMap((source) => paths.map((path) => ({ source, path })));
    const replies = await Promise.all(asked.map(async (one) => ({ ...one, reply: await ask({ ...at, ...one }) })));
    const trustedReply = await ask({ ...at, source: trustedSource, path: '/' });
    return { served: replies.filter(({ reply }) => !isRefusal(reply)), trustedReply };
  };

  const claims = (claim: (front: FrontEnd) => boolean) => met.filter(({ front }) => claim(front));
  const shown = (wrong: readonly Met[]) =>
    wrong.slice(0, 5).map(({ front, text, served }) => ({ front, text, served }));

  test('reports that blocked addresses are denied only if HAProxy serves none of their requests', () => {
    const claimed = claims(({ hasRule, answersBefore }) => hasRule && answersBefore === null);
    expect(claimed.length).toBeGreaterThan(caseCount / 10);
    expect(shown(claimed.filter(({ served }) => served.length > 0))).toEqual([]);
  });

  test('reports a rule behind one that answers some requests only if HAProxy denies others', () => {
    const claimed = claims(({ hasRule, answersBefore }) => hasRule && answersBefore !== null).filter(
      // For these, `some` requests may be all of them.
      ({ text }) => !/"\$|^\.if|\bsrc 127\.0\.0\.[29]/m.test(text),
    );
    const asked = blockedSources.length * paths.length;
    expect(claimed.length).toBeGreaterThan(0);
    expect(shown(claimed.filter(({ served }) => served.length === asked))).toEqual([]);
  });

  test('reports trusted addresses as not exempt only if HAProxy denies them', () => {
    const claimed = claims(({ hasRule, sparesTrusted }) => hasRule && sparesTrusted === false).filter(
      // Others may answer a trusted address before the rule.
      ({ text }) => !/accept|allow|auth|monitor|redirect|return|status 200|"\$/.test(text),
    );
    expect(claimed.length).toBeGreaterThan(0);
    expect(shown(claimed.filter(({ trustedReply }) => !isRefusal(trustedReply)))).toEqual([]);
  });

  test('misses a rule that denies all blocked addresses only if it is of an unsupported kind', () => {
    const missed = claims(({ hasRule }) => !hasRule).filter(({ served }) => served.length === 0);
    expect(shown(missed.filter(({ text }) => !leftToTheProxy.some((kind) => kind.test(text))))).toEqual([]);
  });
});

/** What the parser does not count as a rule although it may deny. */
const leftToTheProxy = [
  /^ +\S+-request (\S+ )?(deny|reject|tarpit|silent-drop)[^{}]*$/m,
  // Inherited, which HAProxy 2.6 ignores.
  /^ +tcp-request (connection|session) [\s\S]*^frontend/m,
  // Checks the address of the upstream proxy, and so treats all clients alike.
  /^(?=[\s\S]*(accept|expect)-proxy)[\s\S]*tcp-request connection (?!expect)/,
  // Silence could also be a busy machine.
  /silent-drop/,
  /_status 429/,
  // Depends on the environment of HAProxy.
  /"\$|^\.if/m,
  /set-src/,
  // A condition with other addresses, or one that no blocked address meets.
  /\bsrc 127|gt 1|other\.map/,
];

function textOf(one: FrontEndCase, index: number, port: number, up: number): string {
  const name = `f${index}`;
  const mode = `    mode ${one.mode}`;
  const timeouts = '    timeout connect 5s\n    timeout client 20s\n    timeout server 20s\n    timeout tarpit 50ms';
  const lines = [
    `defaults plain${index}`,
    timeouts,
    `defaults d${index}`,
    timeouts,
    ...(one.modeIsInherited ? [mode] : []),
    ...one.inherited.map((line) => (line.startsWith('.') ? line : `    ${line}`)),
    `${one.kind} ${name} from d${index}`,
    ...(one.modeIsInherited ? [] : [mode]),
    `    bind 127.77.1.${index + 1}:${port}${one.behindProxy === 'bind' ? ' accept-proxy' : ''}`,
    ...(one.behindProxy === 'rule' ? ['    tcp-request connection expect-proxy layer4'] : []),
    ...one.own.map((line) => (line.startsWith('.') ? line : `    ${line}`)),
    ...(one.kind === 'listen'
      ? [`    server up 127.0.0.1:${up}`]
      : [
          `    default_backend b${index}`,
          `backend b${index} from plain${index}`,
          mode,
          `    server up 127.0.0.1:${up}`,
        ]),
  ];
  return `${lines.join('\n')}\n`;
}

function isListening(address: string): Promise<boolean> {
  const [host = '', port = ''] = address.split(':');
  return new Promise((resolve) => {
    const socket = connect({ host, port: Number(port) });
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

interface Question {
  readonly host: string;
  readonly port: number;
  readonly source: string;
  readonly path: string;
  readonly behindProxy: boolean;
  /** Whether no reply is a valid outcome. */
  readonly drops: boolean;
}

/** The first line of the reply; empty when the connection ends without one. */
function ask({ host, port, source, path, behindProxy, drops }: Question): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    const socket = connect({ host, port, localAddress: behindProxy ? otherSource : source });
    const end = () => {
      socket.destroy();
      resolve(text.split('\r\n')[0] ?? '');
    };
    const header = behindProxy ? `PROXY TCP4 ${source} ${host} 1 ${port}\r\n` : '';
    socket.setTimeout(drops ? 300 : 20_000, end);
    socket.on('data', (bytes) => {
      text += bytes;
      if (text.includes('\r\n')) end();
    });
    socket.once('end', end).once('error', end).once('close', end);
    socket.write(`${header}GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
  });
}

/**
 * Closed without a reply, 400 where a rule kept the PROXY header from being parsed, 403, or another status that a
 * `deny` or `tarpit` of the cases sets.
 */
function isRefusal(reply: string): boolean {
  return reply === '' || /^HTTP\/1\.1 (400|403|429|500) /.test(reply);
}

async function stop(proxy: ChildProcess): Promise<void> {
  if (proxy.exitCode !== null || proxy.signalCode !== null) return;
  const gone = new Promise((resolve) => proxy.once('exit', resolve));
  proxy.kill('SIGKILL');
  await gone;
}
