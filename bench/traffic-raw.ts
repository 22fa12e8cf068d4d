// The same proxy and configuration with raw commands over plain sockets, without code of the service.
import { copyFileSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { basename, join } from 'node:path';
import { type ProxyPaths, RealProxy } from '../testkit/real-proxy.ts';
import type { RealService } from '../testkit/real-service.ts';

/** Command and payload must fit into `tune.bufsize`, 16,384. */
const payloadBytes = 14_980;
/** Commands without a payload; some 15 kB too. */
const commandsPerConnection = 400;

/** Raw commands to one map of a running proxy. */
export class RawMap {
  readonly #socket: string;
  readonly #map: string;

  constructor(paths: { readonly masterSocket: string; readonly blockedMap: string }) {
    this.#socket = paths.masterSocket;
    this.#map = paths.blockedMap;
  }

  async block(ip: string): Promise<void> {
    const answer = await this.#say(`@1 add map ${this.#map} ${ip} 1\n@1 get map ${this.#map} ${ip}\n`);
    if (!answer.includes(`key="${ip}", value="1"`)) throw new Error(`the raw block of ${ip} was answered ${answer}`);
  }

  async load(ips: readonly string[], version?: number): Promise<void> {
    const head = `@1 add map ${version === undefined ? '' : `@${version} `}${this.#map} <<\n`;
    let payload = '';
    const send = async (): Promise<void> => {
      const answer = await this.#say(`${head}${payload}\n`);
      if (answer !== '\n') throw new Error(`a raw payload was answered ${JSON.stringify(answer.slice(0, 200))}`);
      payload = '';
    };
    for (const ip of ips) {
      if (head.length + payload.length + ip.length + 4 > payloadBytes) await send();
      payload += `${ip} 1\n`;
    }
    if (payload !== '') await send();
  }

  /** Returns the number of lines. */
  async list(version?: number): Promise<number> {
    let lines = 0;
    const at = version === undefined ? '' : `@${version} `;
    await this.#listen(`@1 show map ${at}${this.#map}\n`, (bytes) => {
      for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10, at + 1)) lines += 1;
    });
    return lines - 1;
  }

  async remove(ips: readonly string[]): Promise<void> {
    for (let start = 0; start < ips.length; start += commandsPerConnection) {
      const piece = ips.slice(start, start + commandsPerConnection);
      const answer = await this.#say(piece.map((ip) => `@1 del map ${this.#map} ${ip}\n`).join(''));
      if (answer !== '\n'.repeat(piece.length)) throw new Error(`raw deletes were answered ${answer.trim()}`);
    }
  }

  /** Prepares a version, fills and commits it. */
  async replace(ips: readonly string[]): Promise<void> {
    const answer = await this.#say(`@1 prepare map ${this.#map}\n`);
    const version = Number(/^New version created: (\d+)/.exec(answer)?.[1]);
    await this.load(ips, version);
    const committed = await this.#say(`@1 commit map @${version} ${this.#map}\n`);
    if (committed !== '\n') throw new Error(`a raw commit was answered ${committed}`);
  }

  async #say(text: string): Promise<string> {
    const chunks: Buffer[] = [];
    await this.#listen(text, (bytes) => chunks.push(bytes));
    return Buffer.concat(chunks).toString('latin1');
  }

  #listen(text: string, heard: (bytes: Buffer) => void): Promise<void> {
    return new Promise((resolve, reject) => {
      const socket = createConnection(this.#socket);
      socket.on('data', heard);
      socket.once('error', reject);
      socket.once('end', resolve);
      socket.end(text);
    });
  }
}

export class RawProxy extends RawMap {
  readonly proxy: RealProxy;

  private constructor(proxy: RealProxy) {
    super(proxy.paths);
    this.proxy = proxy;
  }

  static async start(bin: string, service: RealService): Promise<RawProxy> {
    return new RawProxy(await RealProxy.start(bin, { config: (paths) => sameConfiguration(service, paths) }));
  }

  get port(): number {
    return this.proxy.paths.port;
  }

  writeFile(ips: readonly string[]): void {
    writeFileSync(this.proxy.paths.blockedMap, ips.map((ip) => `${ip} 1\n`).join(''));
  }

  async reload(): Promise<void> {
    await this.proxy.reload();
  }

  async stop(): Promise<void> {
    await this.proxy.stop();
  }
}

/** Copies files that the service's configuration names in its own folder. */
function sameConfiguration(service: RealService, paths: ProxyPaths): string {
  const own: Readonly<Record<string, string>> = {
    [service.paths.blockedMap]: paths.blockedMap,
    [service.paths.statsSocket]: paths.statsSocket,
  };
  return readFileSync(service.paths.config, 'utf8')
    .replaceAll(`127.0.0.1:${service.proxyPort}`, `127.0.0.1:${paths.port}`)
    .replaceAll(new RegExp(`${service.paths.prefix}/[^\\s,)]+`, 'g'), (path) => {
      const other = own[path] ?? join(paths.folder, basename(path));
      if (own[path] === undefined && existsSync(path) && statSync(path).isFile()) copyFileSync(path, other);
      return other;
    });
}
