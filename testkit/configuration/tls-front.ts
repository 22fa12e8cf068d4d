// An HAProxy in front of the one under test, like the load balancer of an operator: it terminates TLS, or passes it on.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../conditions.ts';
import { freePort, isListening } from '../free-port.ts';
import { selfSignedPem } from '../tls/self-signed.ts';

export type FrontKind =
  /** Terminates TLS, and says so in X-Forwarded-Proto. */
  | 'x-forwarded-proto'
  /** Terminates TLS, and names the client and the port that it connected to in the PROXY protocol. */
  | 'proxy-protocol'
  /** Passes TLS on, with the PROXY protocol. */
  | 'passes-tls';

export class TlsFront {
  readonly httpPort: number;
  readonly httpsPort: number;
  readonly #folder: string;
  #proxy: ChildProcess | null = null;

  private constructor(folder: string, ports: { httpPort: number; httpsPort: number }) {
    this.#folder = folder;
    this.httpPort = ports.httpPort;
    this.httpsPort = ports.httpsPort;
  }

  /** With its ports; it does not listen yet. */
  static async make(): Promise<TlsFront> {
    const folder = await mkdtemp(join(tmpdir(), 'pmf-'));
    return new TlsFront(folder, { httpPort: await freePort(), httpsPort: await freePort() });
  }

  /** @param to the ports of the HAProxy under test */
  async start(bin: string, kind: FrontKind, to: { readonly port: number; readonly tlsPort: number }): Promise<void> {
    const pem = join(this.#folder, 'front.pem');
    const file = join(this.#folder, 'front.cfg');
    await writeFile(pem, selfSignedPem('front.invalid'));
    await writeFile(file, this.#configuration(kind, to, pem));
    const proxy = spawn(bin, ['-db', '-f', file], { stdio: 'ignore' });
    this.#proxy = proxy;
    await eventually('the front listens', async () => {
      if (proxy.exitCode !== null) throw new Error('the front ended');
      return (await isListening(this.httpPort)) && (await isListening(this.httpsPort));
    });
  }

  async stop(): Promise<void> {
    if (this.#proxy !== null && this.#proxy.exitCode === null && this.#proxy.signalCode === null) {
      const gone = new Promise((resolve) => this.#proxy?.once('exit', resolve));
      this.#proxy.kill('SIGKILL');
      await gone;
    }
    await rm(this.#folder, { recursive: true });
  }

  #configuration(kind: FrontKind, to: { readonly port: number; readonly tlsPort: number }, pem: string): string {
    const mode = kind === 'x-forwarded-proto' ? 'http' : 'tcp';
    const tls = kind === 'passes-tls' ? '' : ` ssl crt ${pem} alpn ${mode === 'http' ? 'h2,http/1.1' : 'http/1.1'}`;
    const https = `127.0.0.1:${kind === 'passes-tls' ? to.tlsPort : to.port}`;
    const proxied = mode === 'http' ? '' : ' send-proxy-v2';
    const says = (scheme: string) =>
      mode === 'http'
        ? `\n  http-request set-header X-Forwarded-Proto ${scheme}\n  http-request set-header X-Forwarded-For %[src]`
        : '';
    return `
global
  maxconn 100
defaults
  mode ${mode}
  timeout connect 5s
  timeout client 20s
  timeout server 20s
listen https
  bind 127.0.0.1:${this.httpsPort}${tls}${says('https')}
  server one ${https}${proxied}
listen http
  bind 127.0.0.1:${this.httpPort}${says('http')}
  server one 127.0.0.1:${to.port}${proxied}
`;
  }
}
