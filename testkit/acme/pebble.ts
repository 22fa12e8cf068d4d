// A real ACME authority in a folder of its own, with a DNS server that answers each name with 127.0.0.1.
import { type ChildProcess, spawn } from 'node:child_process';
import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe } from 'vitest';
import { issueCertificate, issueSelfSigned } from '../../src/x509/issue.ts';
import { temporaryFolder } from '../blocking.ts';
import { eventually } from '../conditions.ts';
import { freePort, isListening } from '../free-port.ts';

/** Where testkit/install-pebble unpacks it. */
const unpacked = '/opt/pebble/usr/bin';
const dayMs = 86_400_000;

export const hasPebble = existsSync(join(unpacked, 'pebble'));

/** Without pebble a skipped group names what is missing. */
export function describeWithPebble(name: string, tests: () => void): void {
  if (hasPebble) describe(name, tests);
  else describe.skip(`${name}: skipped, pebble is missing; testkit/install-pebble unpacks it`, tests);
}

interface PebbleOptions {
  /** Where it asks for the answers to http-01. */
  readonly httpPort: number;
  /** Of a hundred nonces, how many it refuses. */
  readonly refusedNonces?: number;
  /** Accounts it requires, by key identifier: their keys, base64url. */
  readonly externalAccounts?: Readonly<Record<string, string>>;
  /** Names for which it issues nothing. */
  readonly refusedDomains?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** Instead of its own, `HOST:PORT`: `pointTo` has no effect then. */
  readonly nameServer?: string;
}

export class Pebble {
  readonly port: number;
  readonly managementPort: number;
  /** Of its name server, and of the program that edits it. */
  readonly dns: { readonly server: string; readonly managementPort: number };
  /** PEM: what a client of its API has to trust. */
  readonly roots: string;
  readonly #children: readonly ChildProcess[];
  readonly #folder: Awaited<ReturnType<typeof temporaryFolder>>;
  #output = '';

  private constructor(
    ports: Pick<Pebble, 'port' | 'managementPort' | 'dns'>,
    roots: string,
    children: readonly ChildProcess[],
    folder: Awaited<ReturnType<typeof temporaryFolder>>,
  ) {
    this.port = ports.port;
    this.managementPort = ports.managementPort;
    this.dns = ports.dns;
    this.roots = roots;
    this.#children = children;
    this.#folder = folder;
    for (const child of children) {
      for (const stream of [child.stdout, child.stderr]) {
        stream?.setEncoding('utf8').on('data', (text: string) => {
          this.#output += text;
        });
      }
    }
  }

  static async start({
    httpPort,
    refusedNonces = 0,
    externalAccounts,
    refusedDomains = [],
    environment = {},
    nameServer: otherNameServer,
  }: PebbleOptions): Promise<Pebble> {
    const folder = await temporaryFolder();
    const [port, managementPort, dnsPort, dnsManagementPort] = [
      await freePort(),
      await freePort(),
      await freePort(),
      await freePort(),
    ];
    const { roots, certificate, privateKey } = madeAuthority();
    const file = (name: string) => join(folder.path, name);
    await writeFile(file('cert.pem'), certificate);
    await writeFile(file('key.pem'), privateKey, { mode: 0o600 });
    const pebble = {
      listenAddress: `127.0.0.1:${port}`,
      managementListenAddress: `127.0.0.1:${managementPort}`,
      certificate: file('cert.pem'),
      privateKey: file('key.pem'),
      httpPort,
      tlsPort: 1,
      externalAccountBindingRequired: externalAccounts !== undefined,
      externalAccountMACKeys: externalAccounts ?? {},
      domainBlocklist: refusedDomains,
    };
    await writeFile(file('config.json'), JSON.stringify({ pebble }));
    // `freePort` holds the UDP port at 127.0.0.1.
    const nameServer = `127.0.0.2:${dnsPort}`;
    const dns = spawn(
      join(unpacked, 'pebble-challtestsrv'),
      [
        ...['-defaultIPv4', '127.0.0.1', '-defaultIPv6', '', '-dns01', nameServer],
        ...['-management', `127.0.0.1:${dnsManagementPort}`, '-http01', '', '-https01', '', '-tlsalpn01', ''],
      ],
      { stdio: ['ignore', 'pipe', 'pipe'] },
    );
    const authority = spawn(
      join(unpacked, 'pebble'),
      ['-strict', '-config', file('config.json'), '-dnsserver', otherNameServer ?? nameServer],
      {
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { PEBBLE_VA_NOSLEEP: '1', PEBBLE_WFE_NONCEREJECT: String(refusedNonces), ...environment },
      },
    );
    const started = new Pebble(
      { port, managementPort, dns: { server: nameServer, managementPort: dnsManagementPort } },
      roots,
      [dns, authority],
      folder,
    );
    try {
      for (const needed of [port, managementPort, dnsManagementPort]) {
        await eventually('the authority listens', () => isListening(needed));
      }
    } catch (error) {
      const output = started.output;
      await started.stop();
      throw new Error(`${(error as Error).message}\n${output}`, { cause: error });
    }
    return started;
  }

  get directory(): string {
    return `https://localhost:${this.port}/dir`;
  }

  /** Its name servers answer with this address instead of 127.0.0.1. */
  async pointTo(name: string, address: string): Promise<void> {
    const body = JSON.stringify({ host: `${name}.`, addresses: [address] });
    const { ok, status } = await fetch(`http://127.0.0.1:${this.dns.managementPort}/add-a`, { method: 'POST', body });
    if (!ok) throw new Error(`the address of ${name} was answered ${status}`);
  }

  /** Of a service that orders from it. */
  async settings(): Promise<Readonly<Record<string, string>>> {
    const roots = join(this.#folder.path, 'roots.pem');
    await writeFile(roots, this.roots);
    return {
      PROXY_MANAGER_ACME_TERMS_AGREED: 'true',
      PROXY_MANAGER_ACME_DIRECTORY: this.directory,
      PROXY_MANAGER_ACME_CA_FILE: roots,
    };
  }

  /** What it logged. */
  get output(): string {
    return this.#output;
  }

  async stop(): Promise<void> {
    for (const child of this.#children) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      await ended;
    }
    await this.#folder.remove();
  }
}

/** A root, and a certificate of it for `localhost`. */
export function madeAuthority(): { readonly roots: string; readonly certificate: string; readonly privateKey: string } {
  const [root, leaf] = [p256(), p256()];
  const validity = { notBefore: new Date(Date.now() - dayMs), notAfter: new Date(Date.now() + 30 * dayMs) };
  const issuer = { commonName: 'Test root', privateKey: root };
  return {
    roots: issueSelfSigned({ ...validity, ...issuer, ca: true, extendedKeyUsage: [] }),
    certificate: issueCertificate({
      ...validity,
      commonName: 'localhost',
      publicKey: createPublicKey(leaf),
      issuer,
      names: ['localhost'],
    }),
    privateKey: leaf.export({ type: 'pkcs8', format: 'pem' }) as string,
  };
}

function p256(): KeyObject {
  return generateKeyPairSync('ec', { namedCurve: 'prime256v1' }).privateKey;
}
