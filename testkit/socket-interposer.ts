// Sits between the service and its proxy's master socket, and passes everything on until a test makes it misbehave. The
// proxy itself is whole and takes every command: only what is heard of it is wrong.
import { chmod, rename, stat } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';

export const misbehaviours = ['hang', 'deaf', 'half', 'garbage', 'foreign', 'silent', 'reset', 'slow'] as const;
/**
 * `hang`: replies never come. `deaf`: commands never arrive. `half`: the connection ends within a reply. `garbage`: bytes
 * that are none. `foreign`: the reply to the command before it. `silent`: the end without a byte. `slow`: 300 ms late.
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
  #how: Misbehaviour | null = null;
  #everyNth = 1;
  #replies = 0;
  #former: Buffer = Buffer.from('\n');

  private constructor(path: string) {
    this.#path = path;
    this.#real = `${path}.real`;
  }

  /** Takes the place of the socket at `path`, and of each one that a reload puts there later. */
  static async at(path: string): Promise<SocketInterposer> {
    const interposer = new SocketInterposer(path);
    await interposer.#seize();
    interposer.#watch = setInterval(() => {
      interposer.#seizing = interposer.#seizing.then(() => interposer.#seizeAgain());
    }, lookEveryMs);
    return interposer;
  }

  /** From now on, for every n-th piece of a reply; null: everything is passed on as it is. */
  misbehave(how: Misbehaviour | null, everyNth = 1): void {
    this.#how = how;
    this.#everyNth = everyNth;
    // What was kept from answering is let go, as a proxy that was hung would.
    if (how === null) for (const socket of this.#open) socket.destroy();
  }

  /** The proxy's own socket is back at its path. */
  async release(): Promise<void> {
    if (this.#watch !== null) clearInterval(this.#watch);
    await this.#seizing;
    if (this.#own !== null && (await identityOf(this.#path)) === this.#own) await rename(this.#real, this.#path);
    this.#server?.close();
    for (const socket of this.#open) socket.destroy();
  }

  async #seizeAgain(): Promise<void> {
    const now = await identityOf(this.#path);
    if (now !== null && now !== this.#own) await this.#seize();
  }

  async #seize(): Promise<void> {
    // Each under a name of its own: a server that closes removes the name that it was bound to.
    this.#nth += 1;
    const path = `${this.#path}.${this.#nth}`;
    const server = createServer({ allowHalfOpen: true }, (client) => this.#accept(client));
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(path, resolve);
    });
    await chmod(path, 0o600);
    const own = await identityOf(path);
    await rename(this.#path, this.#real);
    await rename(path, this.#path);
    this.#own = own;
    this.#server?.close();
    this.#server = server;
  }

  #accept(client: Socket): void {
    if (this.#how === 'reset') {
      client.on('error', () => client.destroy());
      // With more in its buffer than was read, an ended connection is a reset one.
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

async function identityOf(path: string): Promise<string | null> {
  try {
    const { dev, ino } = await stat(path, { bigint: true });
    return `${dev}:${ino}`;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
