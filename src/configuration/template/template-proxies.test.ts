import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { manySites, sampleHttps, sampleSites } from '../../../testkit/configuration/template-samples.ts';
import { freePort } from '../../../testkit/free-port.ts';
import { describeOnProductProxies } from '../../../testkit/proxies.ts';
import type { Site } from '../../domain/site.ts';
import { ensureServerStateFile, keepServerState } from '../reload/server-state.ts';
import { readMachineFacts } from './render-scope.ts';
import { ensureFiles } from './sites-map.ts';
import { Template } from './template.ts';

/** More than half of `maxconn`, so that each limit is reached by itself. */
const perSource = 60;
const machine = await readMachineFacts();
const execute = promisify(execFile);

describeOnProductProxies('the built-in template', ({ bin: binary }) => {
  let folder: string;
  let upstream: Server;
  let port: number;
  let proxy: ChildProcess | undefined;
  let output = '';
  const file = (name: string) => join(folder, name);

  const render = async (sites: readonly Site[], resolvConf = false) => {
    const rendered = await Template.builtIn().render({
      blockedMap: file('blocked.map'),
      trustedMap: file('trusted.map'),
      upstreamsMap: file('upstreams.map'),
      proxyProtocolMap: file('proxy_protocol.map'),
      hasUpstreams: false,
      httpBind: [`127.0.0.1:${port}`],
      https: sampleHttps,
      statsSocket: file('stats'),
      hardStopAfter: '5s',
      serverStateFile: file('servers.state'),
      connectionsPerSource: perSource,
      accessLog: file('syslog'),
      sites,
      sitesMapBase: file('sites.map'),
      machine: { ...machine, openFiles: 500, resolvConf, hosts: new Set(['localhost']) },
    });
    await ensureFiles(rendered.files);
    await writeFile(file('proxy.cfg'), rendered.text);
  };

  const start = async () => {
    proxy = spawn(binary, ['-W', '-S', file('master'), '-f', file('proxy.cfg')]);
    proxy.stderr?.on('data', (chunk) => {
      output += chunk;
    });
    await until(async () => {
      if (proxy?.exitCode !== null) throw new Error(`HAProxy ended: ${output}`);
      return statusOf(await ask(port, 'GET / HTTP/1.0\r\n\r\n').catch(() => '')) === 200;
    });
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pm-'));
    upstream = createHttpServer((request, response) => {
      const { host, 'x-forwarded-for': from, 'x-forwarded-proto': proto } = request.headers;
      response.end(`upstream saw ${host} ${from} ${proto}`);
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => upstream.once('listening', resolve));
    port = await freePort();
    await writeFile(file('blocked.map'), '127.0.0.2 1\n127.0.0.3 1\n127.0.0.4 0\n127.0.1.0/24 1\n');
    await writeFile(file('trusted.map'), '127.0.0.3 1\n127.0.1.7 1\n');
    const up = (upstream.address() as AddressInfo).port;
    const down = await freePort();
    const kept = { address: 'kept.example.invalid', port: up };
    await ensureServerStateFile(file('servers.state'));
    await render([
      { domain: 'kept.example.com', servers: [kept] },
      { domain: 'shop.example.com', servers: [{ address: '127.0.0.1', port: up }] },
      { domain: 'local.example.com', servers: [{ address: 'localhost', port: up }] },
      { domain: 'down.example.com', servers: [{ address: '127.0.0.1', port: down }] },
      { domain: 'dead.example.com', servers: [{ address: 'dead.example.invalid', port: 80 }] },
      { domain: 'empty.example.com', servers: [] },
      {
        domain: 'half.example.com',
        servers: [
          { address: '127.0.0.1', port: down },
          { address: '127.0.0.1', port: up },
        ],
      },
    ]);
    const before = await execute(binary, ['-c', '-W', '-S', file('master'), '-f', file('proxy.cfg')]);
    expect(before.stderr).not.toMatch(/WARNING|ALERT|Warnings/);
    await keepServerState(file('servers.state'), stateOf('site_kept.example.com', kept));
    await start();
  });

  afterAll(async () => {
    const running = proxy;
    if (running !== undefined && running.exitCode === null) {
      const gone = new Promise((resolve) => running.once('exit', resolve));
      running.kill('SIGTERM');
      await gone;
    }
    upstream.close();
    await rm(folder, { recursive: true });
  });

  const get = (host: string, from?: string) => ask(port, `GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`, from);

  /** Opens idle connections; returns those that HAProxy has not closed. */
  const silent = async (from: string, count: number) => {
    const sockets = await Promise.all(
      Array.from({ length: count }, async () => {
        const socket = connect({ port, host: '127.0.0.1', localAddress: from });
        socket.on('error', () => undefined).resume();
        await new Promise((resolve) => socket.once('connect', resolve).once('close', resolve));
        return socket;
      }),
    );
    return { open: () => sockets.filter(({ closed }) => !closed).length, end: () => sockets.map((s) => s.destroy()) };
  };
  const noneHeld = () =>
    until(async () => (await stats()).split('\n').some((line) => /^http,FRONTEND,[^,]*,[^,]*,[01],/.test(line)));
  const stats = () =>
    new Promise<string>((resolve, reject) => {
      let text = '';
      const socket = connect(file('stats')).on('error', reject);
      socket.on('data', (chunk) => {
        text += chunk;
      });
      socket.on('end', () => resolve(text)).write('show stat\n');
    });

  test('a blocked source with silent connections gets half of them, and others are served', async () => {
    expect(statusOf(await get('shop.example.com', '127.0.0.2'))).toBe(403);
    const attack = await silent('127.0.0.2', 130);
    try {
      await until(async () => attack.open() <= 51);
      for (let n = 0; n < 5; n += 1) expect(statusOf(await get('shop.example.com'))).toBe(200);
      // Blocked and trusted.
      expect(statusOf(await get('shop.example.com', '127.0.0.3'))).toBe(200);
      expect(attack.open()).toBeGreaterThan(45);
    } finally {
      attack.end();
    }
    await noneHeld();
    expect(statusOf(await get('shop.example.com', '127.0.0.2'))).toBe(403);
  });

  test('a source has no more connections at once than the setting says, unless it is trusted', async () => {
    for (const [from, held] of [
      ['127.0.0.9', perSource],
      ['127.0.0.3', perSource + 10],
    ] as const) {
      const many = await silent(from, perSource + 10);
      try {
        await until(async () => many.open() <= held);
        expect(statusOf(await get('shop.example.com'))).toBe(200);
        expect(many.open()).toBe(held);
      } finally {
        many.end();
      }
      await noneHeld();
    }
  });

  test.each(['127.0.0.1', '127.0.0.1:8080', '10.1.2.3', '[::1]', '[2001:DB8::1]:8080', 'localhost', 'LocalHost:80'])(
    'answers a request for %s with the welcome page',
    async (host) => {
      const reply = await get(host);
      expect(statusOf(reply)).toBe(200);
      expect(reply.toLowerCase()).toContain('content-type: text/html');
      expect(reply).toContain('<h1>It works</h1>');
      expect(reply).not.toMatch(/proxy|\/api/i);
    },
  );

  test.each(['other.example.com', 'shop.example.com.evil', 'com', '127.0.0.1.example.com', 'welcome', '[zz]', '1.2.3'])(
    'answers 404 to the unknown host %s',
    async (host) => {
      const reply = await get(host);
      expect(statusOf(reply)).toBe(404);
      expect(reply).toContain('no such site');
    },
  );

  test.each([
    'shop.example.com',
    'SHOP.Example.COM',
    'shop.example.com:8080',
    'shop.example.com.',
    'shop.example.com.:80',
  ])('routes %s to its server, and passes the address of the client on', async (host) => {
    const reply = await get(host);
    expect(statusOf(reply)).toBe(200);
    expect(reply).toContain(`upstream saw ${host} 127.0.0.1 http`);
  });

  test('answers HTTP/1.1 without a Host with 400, and HTTP/1.0 with the welcome page', async () => {
    expect(statusOf(await ask(port, 'GET / HTTP/1.1\r\n\r\n'))).toBe(400);
    expect(statusOf(await ask(port, 'GET / HTTP/1.0\r\n\r\n'))).toBe(200);
  });

  test.each(['down.example.com', 'dead.example.com', 'empty.example.com'])(
    '%s without a reachable server gets 503, and the others are served',
    async (host) => {
      expect(statusOf(await get(host))).toBe(503);
      expect(statusOf(await get('shop.example.com'))).toBe(200);
    },
  );

  test('a server that is down is skipped, and a name in the hosts file is found without DNS', async () => {
    for (let i = 0; i < 4; i++) expect(statusOf(await get('half.example.com'))).toBe(200);
    expect(statusOf(await get('local.example.com'))).toBe(200);
  });

  test.each([
    ['127.0.0.2', 403, 'blocked'],
    ['127.0.1.1', 403, 'in a blocked network'],
    ['127.0.0.3', 200, 'blocked, but trusted'],
    ['127.0.1.7', 200, 'in a blocked network, but trusted'],
    ['127.0.0.4', 200, 'in the map with 0'],
    ['127.0.0.5', 200, 'in no map'],
  ])('%s gets %i: it is %s', async (from, status) => {
    for (const host of ['shop.example.com', '127.0.0.1']) expect(statusOf(await get(host, from))).toBe(status);
  });

  test('a blocked source gets 403 for every request', async () => {
    for (const text of ['GET / HTTP/1.0\r\n\r\n', 'GET / HTTP/1.1\r\n\r\n', 'GET / HTTP/1.1\r\nHost: other\r\n\r\n']) {
      expect(statusOf(await ask(port, text, '127.0.0.2'))).toBe(403);
    }
  });

  test('a new worker starts with the address that its predecessor had resolved', async () => {
    expect(statusOf(await get('kept.example.com'))).toBe(200);
  });

  test('HAProxy starts if the limit of open files is lower than assumed', async () => {
    const at = await freePort();
    const rendered = await readFile(file('proxy.cfg'), 'utf8');
    const moved = rendered.replaceAll(`127.0.0.1:${port}\n`, `127.0.0.1:${at}\n`).replaceAll(file('stats'), file('s2'));
    await writeFile(file('low.cfg'), moved.replace(/^ +maxconn \d+$/m, '    maxconn 10000'));
    const limited = spawn('prlimit', ['--nofile=500:500', binary, '-db', '-f', file('low.cfg')]);
    try {
      await until(async () => {
        if (limited.exitCode !== null) throw new Error('HAProxy ended');
        return statusOf(await ask(at, 'GET / HTTP/1.0\r\n\r\n').catch(() => '')) === 200;
      });
    } finally {
      const gone = new Promise((resolve) => limited.once('exit', resolve));
      if (limited.exitCode === null && limited.kill('SIGKILL')) await gone;
    }
  });

  test('the stats socket answers', async () => {
    const reply = await new Promise<string>((resolve, reject) => {
      let text = '';
      const socket = connect(file('stats'), () => socket.end('show info\n'));
      socket.on('data', (chunk) => {
        text += chunk;
      });
      socket.on('end', () => resolve(text)).on('error', reject);
    });
    expect(reply).toContain('Maxconn: ');
  });

  test('starts without a warning about the configuration or a limit', () => {
    // 3.4 recommends a chroot to every proxy that root starts. The template has none: before 3.4 it needs a folder of
    // its own, and a proxy without root cannot use it.
    const lines = output.split('\n').filter((line) => !line.includes("without any 'chroot' directive"));
    expect(lines.filter((line) => /config ?:|parsing|limit/.test(line))).toEqual([]);
  });

  test.each([
    ['no sites', [], false],
    ['every option, by the system name servers', sampleSites, machine.resolvConf],
    ['a long name', [{ domain: `${'a'.repeat(63)}.`.repeat(3).concat('b'.repeat(61)), servers: [] }], false],
    ['a thousand sites', manySites(1_000), false],
  ] as const)('-c reports no error and no warning with %s', async (_what, sites, resolvConf) => {
    const live = file('proxy.cfg');
    await render(sites, resolvConf);
    const { stderr } = await execute(binary, ['-c', '-W', '-S', file('master'), '-f', live]);
    expect(stderr.split('\n').filter((line) => /WARNING|ALERT|Warnings/.test(line))).toEqual([]);
  });
});

/** The reply of `show servers state` for one server resolved to 127.0.0.1. */
function stateOf(backend: string, { address, port }: { address: string; port: number }): string {
  const fields =
    'be_id be_name srv_id srv_name srv_addr srv_op_state srv_admin_state srv_uweight srv_iweight srv_time_since_last_change srv_check_status srv_check_result srv_check_health srv_check_state srv_agent_state bk_f_forced_id srv_f_forced_id srv_fqdn srv_port srvrecord srv_use_ssl srv_check_port srv_check_addr srv_agent_addr srv_agent_port';
  const server = `s1_${address}:${port} 127.0.0.1 2 0 1 1 2 1 0 4 0 0 0 0 ${address} ${port}`;
  return `1\n# ${fields}\n2 ${backend} 1 ${server} - 0 0 - - 0\n\n`;
}

const statusOf = (reply: string) => Number(/^HTTP\/1\.[01] (\d{3})/.exec(reply)?.[1] ?? 0);

/** Resolves at the end of the connection, or once head and body are complete. */
function ask(port: number, text: string, from = '127.0.0.1'): Promise<string> {
  return new Promise((resolve, reject) => {
    let reply = '';
    const socket = connect({ port, host: '127.0.0.1', localAddress: from }, () => {
      socket.write(text.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'));
    });
    socket.on('data', (chunk) => {
      reply += chunk;
    });
    socket.on('end', () => {
      socket.end();
      resolve(reply);
    });
    socket.on('error', reject);
  });
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 20));
}
