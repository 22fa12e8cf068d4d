// Issuance with a real authority, a real database, and a web server in place of HAProxy.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AcmeClient } from '../../src/acme/authority.ts';
import { createAcmeClient } from '../../src/acme/client.ts';
import { keyAuthorization } from '../../src/acme/jws.ts';
import type { Acme } from '../../src/issuance/issuance.ts';
import { ariId } from '../../src/x509/ari-id.ts';
import { signingRequest } from '../../src/x509/csr.ts';
import type { AcmeFront } from '../acme/front.ts';
import { Pebble } from '../acme/pebble.ts';
import type { TestAuthority } from './fake-authority.ts';

/** A real authority, and a web server that answers its challenges with what any service shows. */
export class PebbleWithWeb {
  readonly #server: Server;
  readonly pebble: Pebble;
  readonly shown = new Set<{ readonly shown: ReadonlyMap<string, string> }>();

  private constructor(server: Server, pebble: Pebble) {
    this.#server = server;
    this.pebble = pebble;
  }

  static async start({ nameServer }: { readonly nameServer?: string } = {}): Promise<PebbleWithWeb> {
    const server = createServer((request, response) => {
      const token = request.url?.replace('/.well-known/acme-challenge/', '') ?? '';
      const value = [...started.shown].map(({ shown }) => shown.get(token)).find((one) => one !== undefined);
      response.writeHead(value === undefined ? 404 : 200).end(value);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const pebble = await Pebble.start({
      ...{ httpPort: port, refusedNonces: 50 },
      ...(nameServer === undefined ? {} : { nameServer }),
    });
    const started: PebbleWithWeb = new PebbleWithWeb(server, pebble);
    return started;
  }

  get httpPort(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Certificates that it issued, by its log. */
  get issued(): number {
    return this.pebble.output.split('Issued certificate serial').length - 1;
  }

  /** By its log. */
  get accounts(): number {
    const counts = [...this.pebble.output.matchAll(/There are now (\d+) accounts/g)].map(([, count]) => Number(count));
    return counts.at(-1) ?? 0;
  }

  async stop(): Promise<void> {
    await this.pebble.stop();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** At the level of the client's interface. */
export class PebbleAuthority implements TestAuthority {
  readonly #peer: { readonly directory: string; readonly roots: string };
  shown: ReadonlyMap<string, string> = new Map();
  before: (operation: string) => void = () => undefined;
  after: (operation: string) => void = () => undefined;
  keyAuthorization = keyAuthorization;
  createCsr = signingRequest;
  renewalId = ariId;

  constructor({ pebble, shown }: PebbleWithWeb, front: AcmeFront | null = null) {
    this.#peer = front ?? pebble;
    shown.add(this);
  }

  get directory(): string {
    return this.#peer.directory;
  }

  connect(directory: string, accountKey: Parameters<Acme['connect']>[1]): AcmeClient {
    const { roots } = this.#peer;
    const pausesMs = [10, 20, 40];
    const client = createAcmeClient({ directory, accountKey, roots, userAgent: 'proxy-manager-test', pausesMs });
    const hooked =
      <Given extends unknown[], Answer>(operation: string, call: (...given: Given) => Promise<Answer>) =>
      async (...given: Given): Promise<Answer> => {
        this.before(operation);
        const answer = await call.apply(client, given);
        this.after(operation);
        return answer;
      };
    return {
      directory: hooked('directory', client.directory),
      register: hooked('register', client.register),
      createOrder: hooked('createOrder', client.createOrder),
      order: hooked('order', client.order),
      authorization: hooked('authorization', client.authorization),
      answerChallenge: hooked('answerChallenge', client.answerChallenge),
      finalize: hooked('finalize', client.finalize),
      certificate: hooked('certificate', client.certificate),
      renewalInfo: hooked('renewalInfo', client.renewalInfo),
    };
  }
}
