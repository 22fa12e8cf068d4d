// The certificate of the API itself: read from two files, and again when they change.
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { constants } from 'node:fs';
import { open, readFile, readlink, realpath } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { createSecureContext } from 'node:tls';
import { pause } from '../concurrency/pause.ts';
import { causeText, type Log } from '../telemetry/log.ts';

export interface ListenFiles {
  /** In PEM, the chain included. */
  readonly certificate: string;
  /** Null: in the file of the certificate. */
  readonly key: string | null;
  /**
   * The service makes the certificate's file a link to this one if HAProxy refuses it. Null: the files are an operator's.
   */
  readonly standIn: string | null;
}

/** For a TLS server of Node. Never shown. */
export interface ListenOptions {
  readonly cert: string;
  readonly key: string;
}

const EVERY_MS = 5_000;
const SOON_MS = 14 * 86_400_000;

/** The message names the file and what is wrong with it. */
export class ListenCertificateUnusable extends Error {
  override readonly name = 'ListenCertificateUnusable';
  /** For the start: the setting that is wrong. */
  readonly variable = 'PROXY_MANAGER_LISTEN_CERTIFICATE';
}

interface Read {
  /** It is not the certificate itself, but what stands in for it. */
  readonly isStandIn: boolean;
  readonly options: ListenOptions;
  readonly expiresAt: Date;
}

interface WatchDeps {
  readonly log: Pick<Log, 'info' | 'warn'>;
  readonly now: () => Date;
  readonly everyMs?: number;
}

export class ListenCertificate {
  readonly #files: ListenFiles;
  readonly #deps: WatchDeps;
  readonly #stop = new AbortController();
  #read: Read;
  #problem: string | null = null;
  #watching: Promise<void> = Promise.resolve();

  private constructor(files: ListenFiles, deps: WatchDeps, read: Read) {
    this.#files = files;
    this.#deps = deps;
    this.#read = read;
  }

  /** @throws ListenCertificateUnusable */
  static async open(files: ListenFiles, deps: WatchDeps): Promise<ListenCertificate> {
    try {
      const read = await readFiles(files);
      const opened = new ListenCertificate(files, deps, read);
      // Refusing the start would take away the API, which is needed to replace it.
      if (read.isStandIn) deps.log.warn('API serves the default certificate', { cause: refusedBy(files) });
      return opened;
    } catch (cause) {
      if (!(cause instanceof ListenCertificateUnusable)) throw cause;
      const message = `the API cannot serve HTTPS (${cause.variable}): ${cause.message}`;
      throw new ListenCertificateUnusable(message, { cause });
    }
  }

  get options(): ListenOptions {
    return this.#read.options;
  }

  /** Each a sentence, for `/health`. */
  notices(): readonly string[] {
    const { expiresAt } = this.#read;
    const left = expiresAt.getTime() - this.#deps.now().getTime();
    const ends = `the certificate of the API ${left <= 0 ? 'expired' : 'expires'} at ${expiresAt.toISOString()}`;
    return [
      ...(this.#problem === null ? [] : [`the API still uses its earlier certificate: ${this.#problem}`]),
      ...(this.#read.isStandIn ? [`the API serves the default certificate: ${refusedBy(this.#files)}`] : []),
      ...(left < SOON_MS ? [`${ends}: replace ${this.#files.certificate}`] : []),
    ];
  }

  /** Reads the files every few seconds; a certificate that cannot be used is reported once, and the last one stays. */
  watch(apply: (options: ListenOptions) => void): void {
    this.#watching = this.#run(apply);
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#watching;
  }

  async #run(apply: (options: ListenOptions) => void): Promise<void> {
    const { signal } = this.#stop;
    for (;;) {
      await pause(this.#deps.everyMs ?? EVERY_MS, { signal, ref: false });
      if (signal.aborted) return;
      await this.#readAgain(apply);
    }
  }

  async #readAgain(apply: (options: ListenOptions) => void): Promise<void> {
    const { log } = this.#deps;
    try {
      const read = await readFiles(this.#files);
      if (read.isStandIn && !this.#read.isStandIn) throw new ListenCertificateUnusable(refusedBy(this.#files));
      this.#problem = null;
      const { cert, key } = this.#read.options;
      if (read.options.cert === cert && read.options.key === key) return;
      apply(read.options);
      this.#read = read;
      log.info('API certificate replaced', { expires_at: read.expiresAt.toISOString() });
    } catch (error) {
      const cause = causeText(error);
      if (this.#problem !== cause) log.warn('API certificate not replaced; the earlier one stays in use', { cause });
      this.#problem = cause;
    }
  }
}

/** @throws ListenCertificateUnusable, without a character of a key */
async function readFiles({ certificate, key, standIn }: ListenFiles): Promise<Read> {
  const { content: cert, isStandIn } = await certificateIn(certificate, standIn);
  const keyFile = key ?? certificate;
  const keyPem = key === null ? cert : await contentOf(key);
  const privateKey = keyOf(keyPem, keyFile);
  let leaf: X509Certificate;
  try {
    leaf = new X509Certificate(cert);
  } catch (cause) {
    throw unusable(certificate, 'contains no certificate in PEM', cause);
  }
  if (!leaf.checkPrivateKey(privateKey)) {
    throw unusable(keyFile, `does not have the private key of the first certificate of ${certificate}`);
  }
  const options = { cert, key: keyPem };
  try {
    createSecureContext(options);
  } catch (cause) {
    throw unusable(certificate, `cannot be used: ${(cause as Error).message}`, cause);
  }
  return { isStandIn, options, expiresAt: leaf.validToDate };
}

function keyOf(pem: string, file: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch (cause) {
    throw unusable(file, 'contains no private key in PEM that can be read without a passphrase', cause);
  }
}

/** One opening, so that a link that is made, or replaced, meanwhile is not taken for the certificate. */
async function certificateIn(
  file: string,
  standIn: string | null,
): Promise<{ readonly content: string; readonly isStandIn: boolean }> {
  try {
    const handle = await open(file, constants.O_RDONLY | (standIn === null ? 0 : constants.O_NOFOLLOW));
    try {
      return { content: await handle.readFile('utf8'), isStandIn: false };
    } finally {
      await handle.close();
    }
  } catch (cause) {
    if (standIn === null || (cause as NodeJS.ErrnoException).code !== 'ELOOP') throw unreadable(file, cause);
    const target = await targetOf(file);
    return { content: await contentOf(target), isStandIn: await isSameFile(target, standIn) };
  }
}

async function targetOf(link: string): Promise<string> {
  try {
    return resolve(dirname(link), await readlink(link));
  } catch (cause) {
    throw unreadable(link, cause);
  }
}

/** Two paths to one file, if a folder is a link. */
async function isSameFile(one: string, other: string): Promise<boolean> {
  try {
    return (await realpath(one)) === (await realpath(other));
  } catch (cause) {
    throw unreadable(other, cause);
  }
}

async function contentOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    throw unreadable(file, cause);
  }
}

function unreadable(file: string, cause: unknown): ListenCertificateUnusable {
  return unusable(file, `cannot be read: ${(cause as Error).message}`, cause);
}

function refusedBy({ certificate }: ListenFiles): string {
  return `HAProxy refuses the certificate of ${certificate}, so the service put the default one there; replace it`;
}

function unusable(file: string, why: string, cause?: unknown): ListenCertificateUnusable {
  return new ListenCertificateUnusable(`${file} ${why}`, cause === undefined ? {} : { cause });
}
