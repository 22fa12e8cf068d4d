// HAProxy with the configuration of the built-in template, without the service.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RenderInput } from '../../src/configuration/template/render-scope.ts';
import { ensureFiles } from '../../src/configuration/template/sites-map.ts';
import { Template } from '../../src/configuration/template/template.ts';
import { eventually } from '../conditions.ts';
import { freePort } from '../free-port.ts';

interface Options {
  readonly bin: string;
  /** Lines of the two maps. */
  readonly blocked?: readonly string[];
  readonly trusted?: readonly string[];
  /** Lines of the upstream map: networks with their mode. */
  readonly upstreams?: readonly string[];
  readonly input?: Partial<RenderInput>;
}

export class RenderedProxy {
  readonly port: number;
  readonly #folder: string;
  readonly #child: ChildProcess;
  #output = '';

  private constructor(port: number, folder: string, child: ChildProcess) {
    this.port = port;
    this.#folder = folder;
    this.#child = child;
    child.stderr?.on('data', (bytes: Buffer) => (this.#output += bytes.toString()));
  }

  /** On 127.0.0.1 and ::1. */
  static async start({ bin, blocked = [], trusted = [], upstreams = [], input = {} }: Options) {
    const folder = await mkdtemp(join(tmpdir(), 'pm-'));
    const at = (name: string) => join(folder, name);
    const port = await freePort();
    for (const [name, lines] of Object.entries({ blocked, trusted, upstreams, proxy_protocol: [] })) {
      await writeFile(at(`${name}.map`), lines.map((line) => `${line}\n`).join(''));
    }
    const { text, files } = await Template.builtIn().render({
      blockedMap: at('blocked.map'),
      trustedMap: at('trusted.map'),
      upstreamsMap: at('upstreams.map'),
      proxyProtocolMap: at('proxy_protocol.map'),
      hasUpstreams: upstreams.length > 0,
      httpBind: [`127.0.0.1:${port}`, `[::1]:${port}`],
      statsSocket: at('stats'),
      hardStopAfter: '10s',
      sites: [],
      sitesMapBase: at('sites.map'),
      ...input,
    });
    await ensureFiles(files);
    await writeFile(at('proxy.cfg'), text);
    const child = spawn(bin, ['-W', '-S', at('master'), '-f', at('proxy.cfg')], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const proxy = new RenderedProxy(port, folder, child);
    await eventually('HAProxy serves', async () => {
      if (child.exitCode !== null) return true;
      return (await proxy.ask('GET / HTTP/1.0\r\n\r\n')).startsWith('HTTP/1.');
    });
    if (child.exitCode !== null) throw new Error(`HAProxy ended: ${proxy.#output}`);
    return proxy;
  }

  /** What HAProxy wrote to standard error. */
  get output(): string {
    return this.#output;
  }

  /** The reply to these bytes, until HAProxy closes the connection or `isComplete` holds. */
  ask(
    bytes: string | Buffer,
    { from = '127.0.0.1', isComplete = () => false }: { from?: string; isComplete?: (reply: string) => boolean } = {},
  ): Promise<string> {
    return new Promise((resolve, reject) => {
      let reply = '';
      const host = from.includes(':') ? '::1' : '127.0.0.1';
      const socket = connect({ port: this.port, host, localAddress: from }, () => socket.write(bytes));
      socket.on('data', (chunk) => {
        reply += chunk.toString('latin1');
        if (isComplete(reply)) socket.destroy();
      });
      socket.once('close', () => resolve(reply)).once('error', reject);
    });
  }

  /** A request of HTTP/1.1 without keep-alive. */
  get(path: string, options: { from?: string; host?: string; headers?: readonly string[] } = {}): Promise<string> {
    const { from, host = 'localhost', headers = [] } = options;
    const lines = [`GET ${path} HTTP/1.1`, `Host: ${host}`, 'Connection: close', ...headers, '', ''];
    return this.ask(lines.join('\r\n'), from === undefined ? {} : { from });
  }

  /** The reply of the stats socket. */
  command(text: string): Promise<string> {
    return new Promise((resolve, reject) => {
      let reply = '';
      const socket = connect(join(this.#folder, 'stats'), () => socket.write(`${text}\n`));
      socket.on('data', (chunk) => (reply += chunk.toString()));
      socket.once('end', () => resolve(reply)).once('error', reject);
    });
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      const ended = once(this.#child, 'exit');
      this.#child.kill('SIGTERM');
      await ended;
    }
    await rm(this.#folder, { recursive: true });
  }
}
