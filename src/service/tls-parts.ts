// The certificates and everything that brings them into files and workers, wired together.
import { readFile } from 'node:fs/promises';
import type { UpstreamSet } from '../blocking/upstream-set.ts';
import { KickablePause } from '../concurrency/pause.ts';
import type { SubstituteCertificates } from '../configuration/reload/guarded-check.ts';
import { parseIp } from '../domain/ip.ts';
import type { FactBus } from '../events/facts.ts';
import { isMissing } from '../files/atomic-file.ts';
import { RuntimeCertificates } from '../haproxy/certificates/runtime-certificates.ts';
import type { MasterSocket } from '../haproxy/socket/master-socket.ts';
import { NoSealer } from '../secrets/no-sealer.ts';
import type { Sealer } from '../secrets/sealed.ts';
import { openSecret, SecretUnusable } from '../secrets/secret-file.ts';
import { type Settings, usesCertificates } from '../settings.ts';
import { StartRefused } from '../start/open-state.ts';
import { CertificatesStore } from '../store/certificates-store.ts';
import type { Database } from '../store/open-database.ts';
import { countSealedKeys } from '../store/sealed-keys.ts';
import { ServiceLock } from '../supervision/service-lock.ts';
import { causeText, type Log } from '../telemetry/log.ts';
import { Certificates } from '../tls/certificates.ts';
import type { ReportedStages } from '../tls/expiry-watch.ts';
import { FileKeeper } from '../tls/file-keeper.ts';
import { TlsFiles, TlsFolderUnusable } from '../tls/files.ts';
import { type HandshakeTarget, tryHandshake } from '../tls/handshake.ts';
import type { WantedCertificates } from '../tls/installation.ts';
import { Installer } from '../tls/installer.ts';
import { ProxyCheck } from '../tls/proxy-check.ts';
import { TlsReconciler } from '../tls/reconciler.ts';
import { TlsWorkers } from '../tls/workers.ts';
import { handshakeTarget, whyListUnused } from './handshake-target.ts';

interface TlsOptions {
  readonly settings: Pick<Settings, 'attached' | 'httpsBind' | 'tlsDir' | 'secretFile' | 'proxyBin' | 'configFile'>;
  readonly database: Database;
  readonly socket: MasterSocket;
  readonly upstreams: Pick<UpstreamSet, 'entries' | 'list'>;
  /** False: no reload is possible. */
  readonly scheduleReload: (reason: string) => boolean;
  /** Ends redirects of names before `work` takes the certificate away from them. */
  readonly around: <T>(certificate: string, names: readonly string[], work: () => Promise<T>) => Promise<T>;
  readonly facts: Pick<FactBus, 'listen' | 'emit'>;
  /** An installation ended. */
  readonly onInstalled: (milliseconds: number) => void;
  readonly log: Log;
  readonly now: () => Date;
}

/** What a reload needs of the certificates. */
export interface CertificateFiles {
  /** Before HAProxy reads them. Never throws. */
  refresh(): Promise<void>;
  /** Of a configuration that HAProxy refused; see `guardedCheck`. Never throws. */
  substitute: SubstituteCertificates;
  /** Whether a scheduled reload is to bring a certificate into the current worker. */
  readonly reloadNeeded: boolean;
}

export interface TlsParts {
  readonly certificates: Certificates;
  readonly sealer: Pick<Sealer, 'seal' | 'open'>;
  readonly files: CertificateFiles;
  /** The certificate of each of these names, its own or that of the wildcard over it. */
  certificatesFor(names: readonly string[]): Promise<ReadonlyMap<string, string>>;
  readonly expiryReports: ReportedStages;
  /** Why visitors may not get the version that is stored; null: they get it. */
  whyNotServed(id: string): string | null;
  /** Why HAProxy would serve no new certificate, a clause; null: it would, or an operator runs it. @throws of the file */
  whyListUnused(): Promise<string | null>;
  /** Why HAProxy can only serve the default certificate instead; null: it can serve it. */
  whyLost(id: string): string | null;
  /** For `/health`, each as a sentence. */
  problems(): readonly string[];
  /** Current workers that lack a certificate. */
  workersBehind(): number;
  /** Writes the files, before HAProxy is started. @throws StartRefused */
  load(): Promise<void>;
  /** Whether HAProxy expects PROXY protocol of connections from this address. */
  speaksProxyProtocol(address: string): Promise<boolean>;
  /** Once HAProxy runs. */
  start(): void;
  stop(): Promise<void>;
}

/** Null: the service serves no certificates. */
export async function wireTls(options: TlsOptions): Promise<TlsParts | null> {
  const { settings, database, socket, scheduleReload, facts, log, now } = options;
  if (!usesCertificates(settings)) return null;
  const store = new CertificatesStore(database);
  const mayCreate = (await countSealedKeys(database)) === 0;
  const secret = await openSealer(settings.secretFile, mayCreate, log);
  const files = new TlsFiles(settings.tlsDir, (path) => {
    return ServiceLock.take(path, `the certificates in ${settings.tlsDir}`);
  });
  const runtime = new RuntimeCertificates({
    socket,
    list: files.list,
    onLeftOver: (worker, file) => log.warn('Abandoned transaction of a certificate aborted', { worker, file }),
  });
  const workers = new TlsWorkers({ socket, runtime, pathOf: (id) => files.pathOf(id) });
  const check = new ProxyCheck({ files, proxyBin: settings.proxyBin });
  const refusedByProxy = (pem: { reveal(): string }) => check.refusal(pem);
  // Made last: it installs, and the others ask it what is stored.
  const wanted: WantedCertificates = {
    all: (only) => certificates.all(only),
    unreadable: () => certificates.unreadable(),
    removedAmong: (ids) => certificates.removedAmong(ids),
  };
  const keeper = new FileKeeper({ files, wanted, check, log, now });
  const timer = new KickablePause();
  const installer = new Installer({
    keeper,
    workers,
    runtime,
    handshake: async (certificate) => await tryHandshake(certificate, await target()),
    scheduleReload,
    recheck: () => timer.kick(),
    onInstalled: options.onInstalled,
    log,
  });
  const reconciler = new TlsReconciler({
    timer,
    folder: files.folder,
    keeper,
    workers,
    runtime,
    installer,
    wanted,
    onRepaired: (repair) => facts.emit('certificate.repaired', repair),
    log,
  });
  const certificates: Certificates = new Certificates({
    store,
    sealer: secret.sealer,
    installer,
    refusedByProxy,
    around: options.around,
    log,
    now,
  });
  facts.listen(({ type }) => {
    if (type === 'worker.appeared') reconciler.kick();
  });

  async function target(): Promise<HandshakeTarget> {
    const text = await readIfThere(settings.configFile);
    return handshakeTarget({ file: settings.configFile, text, list: files.list, speaksProxyProtocol });
  }

  function speaksProxyProtocol(address: string): Promise<boolean> {
    return upstreamSpeaksIt(options.upstreams, address);
  }

  return {
    certificates,
    sealer: secret.sealer,
    files: {
      refresh: () => keeper.refresh(),
      substitute: (output, refused) => keeper.substitute(output, refused),
      get reloadNeeded() {
        return installer.reloadNeeded;
      },
    },
    expiryReports: store,
    certificatesFor: (names) => store.certificatesFor(names),
    whyNotServed: (id) => certificates.whyNotServed(id),
    async whyListUnused() {
      if (settings.attached) return null;
      const text = await readIfThere(settings.configFile);
      return whyListUnused({ file: settings.configFile, text, list: files.list });
    },
    whyLost: (id) => keeper.whyLost(id),
    problems: () => [
      ...(secret.problem === null ? [] : [secret.problem]),
      ...keeper.problems(),
      ...reconciler.problems(),
    ],
    workersBehind: () =>
      new Set(workers.lacking().flatMap(({ worker }) => (worker.role === 'current' ? [worker.pid] : []))).size,
    async load() {
      try {
        await keeper.load();
      } catch (error) {
        if (!(error instanceof TlsFolderUnusable) && (error as NodeJS.ErrnoException).code === undefined) throw error;
        // An operator who uses no certificates of this service need not have the folder.
        if (!settings.attached) throw new StartRefused(causeText(error), { cause: error });
        log.warn('Folder of certificates cannot be used; retrying', { cause: causeText(error) });
      }
    },
    speaksProxyProtocol,
    start: () => reconciler.start(),
    async stop() {
      await reconciler.stop();
      files.close();
    },
  };
}

/** A secret that cannot be used must not keep blocks from being enforced: certificates are served from their files. */
async function openSealer(
  path: string,
  mayCreate: boolean,
  log: Log,
): Promise<{ readonly sealer: Pick<Sealer, 'seal' | 'open'>; readonly problem: string | null }> {
  try {
    return { sealer: await openSecret(path, { mayCreate }), problem: null };
  } catch (error) {
    if (!(error instanceof SecretUnusable)) throw error;
    log.error('Secret of private keys cannot be used', { cause: error.message });
    return { sealer: new NoSealer(error), problem: error.message };
  }
}

async function upstreamSpeaksIt(upstreams: TlsOptions['upstreams'], address: string): Promise<boolean> {
  const parsed = parseIp(address);
  if (!parsed.ok) return false;
  const found = upstreams.entries.of(parsed.entry);
  if (found === null) return false;
  return (await upstreams.list()).find(({ name }) => name === found.name)?.proxyProtocol === true;
}

async function readIfThere(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}
