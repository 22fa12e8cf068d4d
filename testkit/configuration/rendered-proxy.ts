// A real HAProxy with a rendered configuration, and a server behind it that answers with the headers that it received.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { promisify } from 'node:util';
import type { HttpsInput, MachineFacts, RenderInput } from '../../src/configuration/template/render-scope.ts';
import { ensureFiles } from '../../src/configuration/template/sites-map.ts';
import { Template } from '../../src/configuration/template/template.ts';
import type { Site } from '../../src/domain/site.ts';
import { eventually } from '../conditions.ts';
import { freePort, isListening } from '../free-port.ts';
import { selfSignedPem } from '../tls/self-signed.ts';
import { sampleHttps } from './template-samples.ts';

const execute = promisify(execFile);
const machine: MachineFacts = {
  resolvConf: false,
  hosts: new Set(['localhost']),
  openFiles: 2_000,
  ipv6: false,
  syslogSocket: false,
};

/** The site whose server answers with the headers, and with the status of the header `x-answer`. */
export const echoHost = 'echo.example.com';

export interface RenderedProxyOptions {
  readonly bin: string;
  /** Lines of map files by the name of their member in RenderInput; others are empty. */
  readonly maps?: Readonly<Record<string, string>>;
  readonly input?: Partial<RenderInput>;
  /** More of the site `echoHost`. */
  readonly site?: Partial<Site>;
  /** Serves TLS, with a certificate for `echoHost` and a default one. */
  readonly https?: Partial<HttpsInput>;
  /** Changes the rendered text. */
  readonly change?: (text: string) => string;
  /** What runs HAProxy, before its own words. */
  readonly under?: readonly string[];
}

/** In the order in which they were sent, names in lower case. */
export type Headers = readonly (readonly [name: string, value: string])[];

export interface Reply {
  readonly status: number;
  readonly body: string;
}

export interface Destination {
  /** Default 127.0.0.1; an IPv6 address connects to ::1. */
  readonly from?: string;
  /** Sent before the first request: a PROXY protocol header. */
  readonly preface?: Buffer | string;
  /** Over the listener on which IPv4 clients are reported as IPv6. */
  readonly mapped?: boolean;
  /** Over TLS, with this name (SNI); empty: without a name. */
  readonly tls?: string;
}

export class RenderedProxy {
  readonly port: number;
  readonly mappedPort: number;
  readonly tlsPort: number;
  /** Of the configuration. */
  readonly text: string;
  readonly #folder: string;
  readonly #origin: Server;
  readonly #proxy: ChildProcess;

  private constructor(
    ports: { port: number; mappedPort: number; tlsPort: number },
    text: string,
    folder: string,
    origin: Server,
    proxy: ChildProcess,
  ) {
    this.port = ports.port;
    this.mappedPort = ports.mappedPort;
    this.tlsPort = ports.tlsPort;
    this.text = text;
    this.#folder = folder;
    this.#origin = origin;
    this.#proxy = proxy;
  }

  static async start({
    bin,
    maps = {},
    input,
    site,
    https,
    change,
    under = [],
  }: RenderedProxyOptions): Promise<RenderedProxy> {
    const folder = await mkdtemp(join(tmpdir(), 'pm-'));
    const [port, mappedPort, tlsPort] = [await freePort(), await freePort(), await freePort()];
    const origin = await echoingServer();
    const certificate = join(folder, 'certificate.pem');
    const files = {
      blockedMap: '',
      trustedMap: '',
      proxyProtocolMap: '',
      httpsSites: '',
      'acme_challenges.map': '',
      ...(https === undefined
        ? {}
        : {
            'default.pem': selfSignedPem('default.invalid'),
            'certificate.pem': selfSignedPem(echoHost),
            'certificates.list': `${certificate}\n`,
          }),
      ...maps,
    };
    for (const [name, lines] of Object.entries(files)) await writeFile(join(folder, name), lines);
    const rendered = await Template.builtIn().render({
      blockedMap: join(folder, 'blockedMap'),
      trustedMap: join(folder, 'trustedMap'),
      upstreamsMap: join(folder, 'upstreamsMap'),
      proxyProtocolMap: join(folder, 'proxyProtocolMap'),
      hasUpstreams: 'upstreamsMap' in maps,
      httpBind: [`127.0.0.1:${port}`, `[::1]:${port}`, `[::ffff:127.0.0.1]:${mappedPort}`],
      https: {
        ...sampleHttps,
        defaultCertificate: join(folder, 'default.pem'),
        list: join(folder, 'certificates.list'),
        sitesMap: join(folder, 'httpsSites'),
        challengesMap: join(folder, 'acme_challenges.map'),
        publicPort: https === undefined ? sampleHttps.publicPort : tlsPort,
        bind: https === undefined ? [] : [`127.0.0.1:${tlsPort}`, `[::1]:${tlsPort}`],
        ...https,
      },
      statsSocket: join(folder, 'stats'),
      hardStopAfter: '5s',
      sites: [
        {
          domain: echoHost,
          servers: [{ address: '127.0.0.1', port: (origin.address() as AddressInfo).port }],
          ...site,
        },
      ],
      sitesMapBase: join(folder, 'sites.map'),
      machine,
      ...input,
    });
    await ensureFiles(rendered.files);
    const text = change?.(rendered.text) ?? rendered.text;
    const file = join(folder, 'proxy.cfg');
    await writeFile(file, text);
    const { stderr } = await execute(bin, ['-c', '-f', file]);
    if (/WARNING|ALERT/.test(stderr.replace(/^.*'chroot' directive.*$/m, ''))) throw new Error(stderr);
    const [program = bin, ...words] = [...under, bin, '-db', '-f', file];
    const proxy = spawn(program, words, { stdio: 'ignore' });
    const started = new RenderedProxy({ port, mappedPort, tlsPort }, text, folder, origin, proxy);
    await eventually('HAProxy listens', async () => {
      if (proxy.exitCode !== null) throw new Error('HAProxy ended');
      // The stats socket gets its name after the ports are bound.
      return existsSync(join(folder, 'stats')) && (await isListening(port)) && (await isListening(mappedPort));
    });
    return started;
  }

  async stop(signal: 'SIGKILL' | 'SIGTERM' = 'SIGKILL'): Promise<void> {
    if (this.#proxy.exitCode === null && this.#proxy.signalCode === null) {
      const gone = new Promise((resolve) => this.#proxy.once('exit', resolve));
      this.#proxy.kill(signal);
      await gone;
    }
    this.#origin.close();
    this.#origin.closeAllConnections();
    await rm(this.#folder, { recursive: true });
  }

  /** One request of HTTP/1.1 on its own connection. */
  async ask(headers: Headers, to: Destination = {}): Promise<Reply> {
    const [reply] = await this.exchange([headers], to);
    if (reply === undefined) throw new Error('HAProxy closed the connection without an answer');
    return reply;
  }

  /**
   * On one connection, all requests sent at once; fewer replies than requests if HAProxy closes the connection. A
   * connection that is reset has no reply.
   */
  async exchange(requests: readonly Headers[], to: Destination = {}): Promise<Reply[]> {
    const texts = requests.map((headers, index) => requestText(headers, index === requests.length - 1));
    return repliesIn(
      await this.raw(Buffer.concat([Buffer.from(to.preface ?? ''), Buffer.from(texts.join(''), 'latin1')]), to),
    );
  }

  /** What HAProxy sends until it closes the connection, or resets it, or `isComplete` holds. */
  raw(
    bytes: Buffer | string,
    { isComplete = () => false, ...to }: Destination & { isComplete?: (reply: string) => boolean } = {},
  ): Promise<string> {
    return new Promise((resolve) => {
      let reply = '';
      const socket = this.#connect(to);
      const done = (): void => {
        socket.destroy();
        resolve(reply);
      };
      socket.on('data', (part) => {
        reply += part.toString('latin1');
        if (isComplete(reply)) done();
      });
      socket.once('end', done).once('error', done);
      socket.write(bytes);
    });
  }

  /** The complete reply to a request of HTTP/1.1 on its own connection. */
  get(path: string, options: Destination & { host?: string; headers?: readonly string[] } = {}): Promise<string> {
    const { host = 'localhost', headers = [], ...to } = options;
    const lines = [`GET ${path} HTTP/1.1`, `Host: ${host}`, 'Connection: close', ...headers, '', ''];
    return this.raw(lines.join('\r\n'), to);
  }

  get statsSocket(): string {
    return join(this.#folder, 'stats');
  }

  /** The reply of the stats socket. */
  command(text: string): Promise<string> {
    return new Promise((resolve, reject) => {
      let reply = '';
      const socket = connect(this.statsSocket, () => socket.write(`${text}\n`));
      socket.on('data', (part) => (reply += part.toString()));
      socket.once('end', () => resolve(reply)).once('error', reject);
    });
  }

  /** One after the other on a kept connection: each is sent once the previous one is answered. */
  async keep(requests: readonly Headers[], to: Destination = {}): Promise<Reply[]> {
    const socket = this.#connect(to);
    let received = '';
    socket.on('data', (part) => {
      received += part.toString('latin1');
    });
    socket.on('error', () => undefined);
    if (to.preface !== undefined) socket.write(to.preface);
    const replies: Reply[] = [];
    for (const headers of requests) {
      received = '';
      socket.write(Buffer.from(requestText(headers, false), 'latin1'));
      replies.push(await eventually('an answer', () => repliesIn(received)[0] ?? (socket.closed && noReply)));
    }
    socket.destroy();
    return replies;
  }

  /** Opens connections that send nothing but the preface. */
  async hold(count: number, to: Destination = {}): Promise<HeldConnections> {
    const sockets = await Promise.all(
      Array.from({ length: count }, async () => {
        const socket = this.#connect(to);
        socket.on('error', () => undefined).resume();
        await new Promise((resolve) => socket.once('connect', resolve).once('close', resolve));
        if (to.preface !== undefined) socket.write(to.preface);
        return socket;
      }),
    );
    return {
      open: () => sockets.filter(({ closed }) => !closed).length,
      end: () => {
        for (const socket of sockets) socket.destroy();
      },
    };
  }

  /** One after the other as streams of one HTTP/2 connection. */
  async askHttp2(requests: readonly Headers[], to: Destination = {}): Promise<Reply[]> {
    const session = connectHttp2(`http://127.0.0.1:${this.port}`, { createConnection: () => this.#connect(to) });
    const replies: Reply[] = [];
    try {
      for (const headers of requests) {
        replies.push(
          await new Promise<Reply>((resolve, reject) => {
            const fields: Record<string, string | string[]> = { ':authority': echoHost };
            for (const [name, value] of headers) fields[name] = [...[fields[name] ?? []].flat(), value];
            const stream = session.request(fields);
            let status = 0;
            let body = '';
            stream.setEncoding('latin1');
            stream.once('response', (answer) => {
              status = Number(answer[':status']);
            });
            stream.on('data', (part: string) => {
              body += part;
            });
            stream.once('end', () => resolve({ status, body })).once('error', reject);
          }),
        );
      }
    } finally {
      session.destroy();
    }
    return replies;
  }

  #connect({ from = '127.0.0.1', mapped = false, tls }: Destination): Socket {
    const host = from.includes(':') ? '::1' : '127.0.0.1';
    if (tls !== undefined) {
      const socket = connect({ port: this.tlsPort, host, localAddress: from });
      const named = tls === '' ? {} : { servername: tls };
      return connectTls({ socket, ALPNProtocols: ['http/1.1'], rejectUnauthorized: false, ...named });
    }
    return connect({ port: mapped ? this.mappedPort : this.port, host, localAddress: from });
  }
}

export interface HeldConnections {
  /** Those that HAProxy has not closed. */
  open(): number;
  end(): void;
}

const noReply: Reply = { status: 0, body: '' };

/** The headers that the server received, without Host. */
export function receivedBy(reply: Reply): Headers {
  if (reply.status !== 200) throw new Error(`status ${reply.status}: ${reply.body.slice(0, 200)}`);
  return JSON.parse(reply.body) as Headers;
}

function requestText(headers: Headers, last: boolean): string {
  const own = headers.some(([name]) => name === 'host') ? [] : [['host', echoHost] as const];
  const lines = [...own, ...headers, ...(last ? [['connection', 'close'] as const] : [])];
  return `GET / HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`;
}

/** Complete replies with a Content-Length, or the last one up to the end. */
function repliesIn(text: string): Reply[] {
  const replies: Reply[] = [];
  for (let rest = text; rest !== ''; ) {
    const end = rest.indexOf('\r\n\r\n');
    const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(rest)?.[1]);
    if (end < 0 || Number.isNaN(status)) break;
    const length = Number(/^content-length: *(\d+)\r$/im.exec(rest.slice(0, end + 2))?.[1] ?? rest.length - end - 4);
    if (rest.length < end + 4 + length) break;
    replies.push({ status, body: rest.slice(end + 4, end + 4 + length) });
    rest = rest.slice(end + 4 + length);
  }
  return replies;
}

async function echoingServer(): Promise<Server> {
  const server = createServer((request, response) => {
    const names = request.rawHeaders.filter((_text, index) => index % 2 === 0);
    const pairs = names.map((name, index) => [name.toLowerCase(), request.rawHeaders[2 * index + 1]]);
    const body = JSON.stringify(pairs.filter(([name]) => name !== 'host'));
    response
      .writeHead(Number(request.headers['x-answer'] ?? 200), { 'content-length': Buffer.byteLength(body) })
      .end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  return server;
}
