// Operations through the API; each is done when the answer says that it was verified.
import { Agent, request } from 'node:http';
import { RealService } from '../testkit/real-service.ts';
import { RawMap } from './traffic-raw.ts';

const linesPerWrite = 5_000;

export class TrafficService {
  readonly real: RealService;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 16 });

  private constructor(real: RealService) {
    this.real = real;
  }

  static async start(bin: string, environment: Readonly<Record<string, string>> = {}): Promise<TrafficService> {
    return new TrafficService(await RealService.start({ bin, environment }));
  }

  get port(): number {
    return this.real.proxyPort;
  }

  async block(ip: string): Promise<void> {
    const body = JSON.stringify({ ip_address: ip });
    verified(await this.#send('POST', '/api/blocked-ips', 'application/json', [body]), 'runtime_map_updated');
  }

  /** @param pieces from `bodyOf` */
  async put(pieces: readonly string[]): Promise<void> {
    const answer = await this.#send('PUT', '/api/blocked-ips?allow_shrink=true', 'text/plain', pieces);
    verified(answer, 'runtime_map_updated');
  }

  /** Entries that the database lacks. The process stays stopped: its own check would find them before the sync. */
  async addBehindItsBack(ips: readonly string[]): Promise<void> {
    await this.real.healthy(60_000);
    this.real.kill('SIGSTOP');
    try {
      await new RawMap(this.real.paths).load(ips);
    } catch (error) {
      this.real.kill('SIGCONT');
      throw error;
    }
  }

  async resumeAndSync(): Promise<void> {
    this.real.kill('SIGCONT');
    await this.sync();
  }

  async sync(): Promise<void> {
    verified(await this.#send('POST', '/api/blocked-ips/sync', null, []), 'runtime_map_synced');
  }

  async reload(): Promise<void> {
    await this.#send('POST', '/api/config/reload', null, []);
  }

  /** Stops the process, so that raw commands have the machine to themselves. */
  async paused<T>(work: () => Promise<T>): Promise<T> {
    await this.real.healthy(60_000);
    this.real.kill('SIGSTOP');
    let result: T;
    try {
      result = await work();
    } finally {
      this.real.kill('SIGCONT');
    }
    await this.real.healthy(60_000);
    return result;
  }

  async stop(): Promise<void> {
    this.#agent.destroy();
    await this.real.stop();
  }

  #send(method: string, path: string, type: string | null, pieces: readonly string[]): Promise<string> {
    return new Promise((resolve, reject) => {
      const headers: Record<string, string> = { authorization: `Bearer ${this.real.key}` };
      if (type !== null) headers['content-type'] = type;
      const outgoing = request(
        { host: '127.0.0.1', port: this.real.apiPort, method, path, headers, agent: this.#agent },
        (response) => {
          let text = '';
          response.setEncoding('utf8').on('data', (chunk: string) => {
            text += chunk;
          });
          response.once('error', reject);
          response.once('end', () => {
            if (response.statusCode === 200 || response.statusCode === 201) resolve(text);
            else reject(new Error(`${method} ${path}: ${response.statusCode} ${text.slice(0, 1_000)}`));
          });
        },
      );
      outgoing.once('error', reject);
      const write = async (): Promise<void> => {
        for (const piece of pieces) {
          if (!outgoing.write(piece)) await new Promise((drained) => outgoing.once('drain', drained));
        }
        outgoing.end();
      };
      write().catch(reject);
    });
  }
}

/** Made before the load runs, so that the client's work is not measured. */
export function bodyOf(lists: readonly (readonly string[])[]): string[] {
  return lists.flatMap((ips) =>
    Array.from(
      { length: Math.ceil(ips.length / linesPerWrite) },
      (_, index) => `${ips.slice(index * linesPerWrite, (index + 1) * linesPerWrite).join('\n')}\n`,
    ),
  );
}

function verified(answer: string, member: string): void {
  if (JSON.parse(answer)[member] !== true) throw new Error(`not verified: ${answer.slice(0, 1_000)}`);
}
