// The service with a keep-alive client, as a panel or a script would use it.
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { RealService } from '../testkit/real-service.ts';
import { timed } from './floor.ts';
import { batches } from './lists.ts';

export class ServiceUnderTest {
  readonly real: RealService;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 64 });

  private constructor(real: RealService) {
    this.real = real;
  }

  static async start(bin: string): Promise<ServiceUnderTest> {
    return new ServiceUnderTest(await RealService.start({ bin }));
  }

  batches = batches;

  /** `PUT` of the whole list; the milliseconds until it was verified. */
  async load(entries: number): Promise<number> {
    return await timed(async () => {
      const answer = await this.#send('PUT', '/api/blocked-ips?allow_shrink=true', 'text/plain', batches(entries));
      if (JSON.parse(answer).runtime_map_updated !== true) throw new Error(`the load was not verified: ${answer}`);
    });
  }

  async block(ip: string): Promise<number> {
    return await timed(async () => {
      const answer = await this.#send('POST', '/api/blocked-ips', 'application/json', [
        [JSON.stringify({ ip_address: ip })],
      ]);
      if (JSON.parse(answer).runtime_map_updated !== true) throw new Error(`a block was not verified: ${answer}`);
    });
  }

  async unblock(ip: string): Promise<number> {
    return await timed(async () => {
      const answer = await this.#send('DELETE', `/api/blocked-ips/${ip}`, null, []);
      if (JSON.parse(answer).runtime_map_updated !== true) throw new Error(`an unblock was not verified: ${answer}`);
    });
  }

  async post(path: string): Promise<number> {
    return await timed(() => this.#send('POST', path, null, []));
  }

  /** An endpoint that does nothing, on the same HTTP stack. */
  async empty(): Promise<number> {
    return await timed(() => this.#send('GET', '/livez', null, []));
  }

  memory(): { now: number; peak: number } {
    const status = readFileSync(`/proc/${this.real.pid}/status`, 'latin1');
    const megabytes = (field: string): number => Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1]) / 1_024;
    return { now: megabytes('VmRSS'), peak: megabytes('VmHWM') };
  }

  async stop(): Promise<void> {
    this.#agent.destroy();
    await this.real.stop();
  }

  #send(method: string, path: string, type: string | null, body: Iterable<readonly string[]>): Promise<string> {
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
          response.once('end', () => {
            if ((response.statusCode ?? 500) < 300) resolve(text);
            else reject(new Error(`${method} ${path}: ${response.statusCode} ${text}`));
          });
          response.once('error', reject);
        },
      );
      outgoing.once('error', reject);
      const write = async (): Promise<void> => {
        for (const lines of body) {
          if (!outgoing.write(lines.length === 1 ? lines[0]! : `${lines.join('\n')}\n`)) {
            await new Promise((drained) => outgoing.once('drain', drained));
          }
        }
        outgoing.end();
      };
      write().catch(reject);
    });
  }
}
