// A real HAProxy that serves certificates, and the parts of src/tls that install them, without a database.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KickablePause } from '../../src/concurrency/pause.ts';
import { RuntimeCertificates } from '../../src/haproxy/certificates/runtime-certificates.ts';
import type { LogFields } from '../../src/telemetry/log.ts';
import { FileKeeper } from '../../src/tls/file-keeper.ts';
import { TlsFiles } from '../../src/tls/files.ts';
import { type HandshakeTarget, tryHandshake } from '../../src/tls/handshake.ts';
import type { CertificateToInstall } from '../../src/tls/installation.ts';
import { Installer } from '../../src/tls/installer.ts';
import { ProxyCheck } from '../../src/tls/proxy-check.ts';
import { type Repair, TlsReconciler } from '../../src/tls/reconciler.ts';
import { TlsWorkers } from '../../src/tls/workers.ts';
import { patienceMs, within } from '../conditions.ts';
import { freePort } from '../free-port.ts';
import { defaultConfig, RealProxy } from '../real-proxy.ts';
import { servedSha1 } from './made-certificate.ts';

export class TlsProxy {
  readonly proxy: RealProxy;
  readonly port: number;
  readonly files: TlsFiles;
  readonly keeper: FileKeeper;
  readonly workers: TlsWorkers;
  readonly runtime: RuntimeCertificates;
  readonly installer: Installer;
  readonly reconciler: TlsReconciler;
  readonly check: ProxyCheck;
  /** The database, by id. */
  readonly stored: Map<string, CertificateToInstall>;
  readonly repaired: Repair[] = [];
  readonly reloads: string[] = [];
  readonly logged: string[] = [];
  target: HandshakeTarget;
  readonly #folder: string;

  private constructor(
    proxy: RealProxy,
    port: number,
    at: {
      folder: string;
      files: TlsFiles;
      check: ProxyCheck;
      keeper: FileKeeper;
      stored: Map<string, CertificateToInstall>;
    },
    logged: string[],
  ) {
    this.proxy = proxy;
    this.port = port;
    this.files = at.files;
    this.keeper = at.keeper;
    this.stored = at.stored;
    this.logged = logged;
    this.#folder = at.folder;
    this.target = { possible: true, addresses: [{ host: '127.0.0.1', port }], untried: [] };
    const { keeper, files } = at;
    const log = logTo(logged);
    const pathOf = (id: string): string => files.pathOf(id);
    this.runtime = new RuntimeCertificates({ socket: proxy.socket, list: files.list });
    this.workers = new TlsWorkers({ socket: proxy.socket, runtime: this.runtime, pathOf });
    this.check = at.check;
    this.installer = new Installer({
      keeper,
      workers: this.workers,
      runtime: this.runtime,
      handshake: (certificate) => tryHandshake(certificate, this.target),
      scheduleReload: (reason) => this.reloads.push(reason) > 0,
      recheck: () => this.reconciler.kick(),
      log,
    });
    this.reconciler = new TlsReconciler({
      timer: new KickablePause(),
      folder: files.folder,
      keeper,
      workers: this.workers,
      runtime: this.runtime,
      installer: this.installer,
      wanted: wantedOf(at.stored),
      onRepaired: (repair) => void this.repaired.push(repair),
      log,
    });
  }

  static async start(
    bin: string,
    options: {
      readonly stored?: readonly CertificateToInstall[];
      /** Of the `bind` line. */
      readonly bind?: (port: number, files: TlsFiles) => string;
    } = {},
  ): Promise<TlsProxy> {
    const folder = await mkdtemp(join(tmpdir(), 'pmt-'));
    const files = new TlsFiles(join(folder, 'tls'));
    const stored = new Map((options.stored ?? []).map((one) => [one.id, one]));
    const logged: string[] = [];
    const check = new ProxyCheck({ files, proxyBin: bin });
    const keeper = new FileKeeper({
      files,
      wanted: wantedOf(stored),
      check,
      log: logTo(logged),
      now: () => new Date(),
    });
    await keeper.load();
    const port = await freePort();
    const bind = (options.bind ?? tlsBind)(port, files);
    const proxy = await RealProxy.start(bin, {
      config: (paths) => defaultConfig(paths).replace(/^ {2}bind .*\n/m, (line) => `${line}  ${bind}\n`),
    });
    return new TlsProxy(proxy, port, { folder, files, check, keeper, stored }, logged);
  }

  /** As the service does: into the database, then into files and workers. */
  async install(certificate: CertificateToInstall) {
    this.stored.set(certificate.id, certificate);
    return await this.installer.install(certificate);
  }

  /** The files as a service finds them that is started again. */
  async restarted(): Promise<FileKeeper> {
    const { folder } = this.files;
    const log = logTo(this.logged);
    const wanted = wantedOf(this.stored);
    const keeper = new FileKeeper({
      files: new TlsFiles(folder),
      wanted,
      check: this.check,
      log,
      now: () => new Date(),
    });
    await keeper.load();
    return keeper;
  }

  async served(name: string): Promise<string | null> {
    return await servedSha1(this.port, name);
  }

  /** Commands to a worker, outside of this. */
  async raw(pid: number, ...commands: Parameters<RealProxy['socket']['ask']>[0][]): Promise<string[]> {
    const conversation = await this.proxy.socket.converse(within(patienceMs));
    const sent = commands.map((command) => (typeof command === 'string' ? `@!${pid} ${command}` : command));
    return await conversation.finish(sent);
  }

  async stop(): Promise<void> {
    await this.reconciler.stop();
    await this.proxy.stop();
    await rm(this.#folder, { recursive: true });
  }
}

export function tlsBind(port: number, { defaultCertificate, list }: TlsFiles): string {
  return `bind 127.0.0.1:${port} ssl crt ${defaultCertificate} crt-list ${list}`;
}

function wantedOf(stored: ReadonlyMap<string, CertificateToInstall>) {
  return {
    all: async (only?: ReadonlySet<string>) =>
      [...stored.values()]
        .filter(({ id }) => only?.has(id) !== false)
        .toSorted((one, other) => (one.id < other.id ? -1 : 1)),
    unreadable: async () => [],
    removedAmong: async () => new Map<string, ReadonlySet<string>>(),
  };
}

function logTo(lines: string[]) {
  const log = (message: string, fields: LogFields = {}): void =>
    void lines.push(`${message} ${JSON.stringify(fields)}`);
  return { info: log, warn: log, error: log };
}
