// Sits between the service and the master socket, and passes everything on until a test makes it misbehave.
import { linkSync, renameSync, rmSync, statSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';

export const misbehaviours = ['hang', 'deaf', 'half', 'garbage', 'foreign', 'silent', 'reset', 'slow'] as const;
/**
 * `hang`: no replies. `deaf`: commands are lost. `half`: ends within a reply. `garbage`: invalid bytes. `foreign`: the
 * reply to the previous command. `silent`: ends without a byte. `slow`: 300 ms late.
 */
export type Misbehaviour = (typeof misbehaviours)[number];

const lateMs = 300;
const lookEveryMs = 10;

export class SocketInterposer {
  readonly #path: string;
  readonly #real: string;
  readonly #open = new Set<Socket>();
  #server: Server | null = null;
  #own: string | null = null;
  #nth = 0;
  #watch: NodeJS.Timeout | null = null;
  #seizing: Promise<void> = Promise.resolve();
  #failure: Error | null = null;
  #how: Misbehaviour | null = null;
  #everyNth = 1;
  #replies = 0;
  #former: Buffer = Buffer.from('\n');

  private constructor(path: string) {
    this.#path = path;
    this.#real = `${path}.real`;
  }

  /** Replaces the socket at `path`, and each one that a reload creates there. */
  static async at(path: string): Promise<SocketInterposer> {
    const interposer = new SocketInterposer(path);
    await interposer.#seize();
    interposer.#watch = setInterval(() => {
      interposer.#seizing = interposer.#seizing
        .then(() => interposer.#seizeAgain())
        .catch((error: Error) => {
          interposer.#failure ??= error;
        });
    }, lookEveryMs);
    return interposer;
  }

  /** For every n-th piece of a reply; null: stop. @throws Error if a socket of HAProxy could not be replaced */
  misbehave(how: Misbehaviour | null, everyNth = 1): void {
    this.#refuseAfterFailure();
    this.#how = how;
    this.#everyNth = everyNth;
    // Held connections end, as those of a hung proxy would.
    if (how === null) for (const socket of this.#open) socket.destroy();
  }

  /** Puts HAProxy's own socket back. @throws Error as `misbehave` */
  async release(): Promise<void> {
    if (this.#watch !== null) clearInterval(this.#watch);
    await this.#seizing;
    if (identityOf(this.#path) === this.#own) {
      const own = `${this.#path}.own`;
      // Takes what is there, which may be HAProxy's by now.
      renameSync(this.#path, own);
      if (identityOf(own) !== this.#own) renameSync(own, this.#real);
      rmSync(own, { force: true });
      isPlaced(this.#real, this.#path);
      rmSync(this.#real);
    }
    this.#server?.close();
    for (const socket of this.#open) socket.destroy();
    this.#refuseAfterFailure();
  }

  #refuseAfterFailure(): void {
    if (this.#failure !== null)
      throw new Error(`no longer between the service and ${this.#path}`, { cause: this.#failure });
  }

  async #seizeAgain(): Promise<void> {
    const now = identityOf(this.#path);
    if (now === null || now === this.#own) return;
    // A test may have removed it meanwhile; HAProxy creates another one.
    await this.#seize().catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
    });
  }

  async #seize(): Promise<void> {
    // A server that closes removes its name, so each has its own.
    this.#nth += 1;
    const path = `${this.#path}.${this.#nth}`;
    const server = createServer({ allowHalfOpen: true }, (client) => this.#accept(client));
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(path, resolve);
    });
    await chmod(path, 0o600);
    // One that HAProxy puts there in between is not overwritten: it would be lost, and with it every connection.
    try {
      do renameSync(this.#path, this.#real);
      while (!isPlaced(path, this.#path));
    } catch (error) {
      server.close();
      throw error;
    }
    this.#own = identityOf(path);
    rmSync(path);
    this.#server?.close();
    this.#server = server;
  }

  #accept(client: Socket): void {
    if (this.#how === 'reset') {
      client.on('error', () => client.destroy());
      // Destroying a connection with unread data resets it.
      client.once('data', () => client.destroy());
      return;
    }
    const proxy = connect({ path: this.#real, allowHalfOpen: true });
    for (const [one, other] of [
      [client, proxy],
      [proxy, client],
    ] as const) {
      this.#open.add(one);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        this.#open.delete(one);
        other.destroy();
      });
      one.on('end', () => other.end());
    }
    client.on('data', (bytes: Buffer) => {
      if (this.#how !== 'deaf') proxy.write(bytes);
    });
    proxy.on('data', (bytes: Buffer) => this.#reply(client, bytes));
  }

  #reply(client: Socket, bytes: Buffer): void {
    this.#replies += 1;
    const former = this.#former;
    this.#former = bytes;
    const how = this.#replies % this.#everyNth === 0 ? this.#how : null;
    if (how === null) client.write(bytes);
    else if (how === 'half') client.end(bytes.subarray(0, bytes.length >> 1));
    else if (how === 'garbage') client.write('\u0000\u0001}{ \u00ff\n\n\n');
    else if (how === 'foreign') client.write(former);
    else if (how === 'silent') client.end();
    else if (how === 'reset') client.destroy();
    else if (how === 'slow') setTimeout(() => client.writable && client.write(bytes), lateMs);
  }
}

/** Null: there is none. */
function identityOf(path: string): string | null {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? null : `${found.dev}:${found.ino}`;
}

/** Never overwrites. False: `to` exists. */
function isPlaced(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}
