// An authority that refuses half of the nonces, behind a front end that faults can break.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AcmeFront } from '../testkit/acme/front.ts';
import { Pebble } from '../testkit/acme/pebble.ts';
import { temporaryFolder } from '../testkit/blocking.ts';

export class Authority {
  readonly front: AcmeFront;
  readonly #pebble: Pebble;
  readonly #folder: Awaited<ReturnType<typeof temporaryFolder>>;

  private constructor(front: AcmeFront, pebble: Pebble, folder: Awaited<ReturnType<typeof temporaryFolder>>) {
    this.front = front;
    this.#pebble = pebble;
    this.#folder = folder;
  }

  /** @param httpPort where it asks for the answers to its challenges */
  static async start(httpPort: number): Promise<Authority> {
    const pebble = await Pebble.start({ httpPort, refusedNonces: 50 });
    const folder = await temporaryFolder();
    const front = await AcmeFront.start(pebble);
    // Faults meet an order in each of its states.
    front.delayMs = 50;
    return new Authority(front, pebble, folder);
  }

  /** Of a service that orders from it. */
  async settings(): Promise<Readonly<Record<string, string>>> {
    // Not on the disk of the service, which may be full.
    const roots = join(this.#folder.path, 'roots.pem');
    await writeFile(roots, this.front.roots);
    return {
      PROXY_MANAGER_ACME_TERMS_AGREED: 'true',
      PROXY_MANAGER_ACME_DIRECTORY: this.front.directory,
      PROXY_MANAGER_ACME_CA_FILE: roots,
    };
  }

  async stop(): Promise<void> {
    await this.front.stop();
    await this.#pebble.stop();
    await this.#folder.remove();
  }
}
