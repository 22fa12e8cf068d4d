// The service with one keep-alive client.

import { processAlive, processStartTime } from '../src/system/processes.ts';
import { eventually } from '../testkit/conditions.ts';
import { HttpClient, type HttpReply } from '../testkit/load/http-client.ts';
import { bytesWritten, forgetPeak, memoryOf, processesOf, processorTime } from '../testkit/load/process-figures.ts';
import { RealService } from '../testkit/real-service.ts';
import { startPollMs, timed } from './clock.ts';

// Only a few members are read.
type Json = Record<string, unknown>;

const chunkBytes = 65_536;

export class ServiceUnderTest {
  readonly real: RealService;
  readonly #client: HttpClient;

  private constructor(real: RealService) {
    this.real = real;
    this.#client = new HttpClient({ port: real.apiPort, key: real.key });
  }

  static async start(bin: string, settings: Readonly<Record<string, string>> = {}): Promise<ServiceUnderTest> {
    const environment = { PROXY_MANAGER_MAX_ENTRIES: '0', ...settings };
    return new ServiceUnderTest(await RealService.start({ bin, environment }));
  }

  /** Milliseconds until verified. Without a source the set of `manual`. */
  async put(ips: readonly string[], source?: string): Promise<number> {
    const chunks = textChunks(ips);
    const path = `/api/blocked-ips?allow_shrink=true${source === undefined ? '' : `&source=${source}`}`;
    return await timed(async () => {
      const answer = await this.#client.stream('PUT', path, 'text/plain', chunks);
      verified('PUT', answer, { rejected_total: 0 });
    });
  }

  /** One batch after the other; milliseconds. */
  async batch(ips: readonly string[]): Promise<number> {
    const bodies = batchBodies('add', ips);
    return await timed(async () => {
      for (const body of bodies) verified('batch', await this.#sendBatch(body), { rejected_total: 0 });
    });
  }

  /** Not measured. Where removals scan, many may outlast their deadline. */
  async remove(ips: readonly string[]): Promise<void> {
    let seen = true;
    for (const body of batchBodies('remove', ips)) {
      const answer = await this.#sendBatch(body);
      if (answer.status !== 200) throw new Error(`removing: ${answer.status} ${answer.body.slice(0, 300)}`);
      seen &&= (JSON.parse(answer.body) as Json).runtime_map_updated === true;
    }
    if (!seen) await eventually('the map is as the database says', () => this.#synced(), 60_000, 500);
    await this.quiet();
  }

  async block(ip: string): Promise<number> {
    const body = JSON.stringify({ ip_address: ip });
    return await timed(async () =>
      verified('block', await this.#client.request('POST', '/api/blocked-ips', 'application/json', body), {}),
    );
  }

  async unblock(ip: string): Promise<number> {
    return await timed(async () =>
      verified('unblock', await this.#client.request('DELETE', `/api/blocked-ips/${ip}`), {}),
    );
  }

  /** @throws unless 200 or 201 */
  async ask(method: 'GET' | 'POST' | 'PUT', path: string, body?: object): Promise<{ took: number; body: Json }> {
    const sent = body === undefined ? [] : (['application/json', JSON.stringify(body)] as const);
    const began = performance.now();
    const answer = await this.#client.request(method, path, ...sent);
    const took = performance.now() - began;
    if (answer.status !== 200 && answer.status !== 201)
      throw new Error(`${method} ${path}: ${answer.status} ${answer.body.slice(0, 300)}`);
    return { took, body: JSON.parse(answer.body) as Json };
  }

  /** Milliseconds from spawn to ready. */
  async restart(what: 'service' | 'service and proxy'): Promise<number> {
    this.#client.close();
    this.real.kill('SIGTERM');
    await this.real.ended();
    if (what === 'service and proxy') await this.#endProxy();
    return await timed(() => this.real.launch({}, startPollMs));
  }

  async memory(): Promise<{ now: number; peak: number }> {
    return memoryOf(await processesOf(this.real.pid));
  }

  async forgetPeak(): Promise<void> {
    forgetPeak(await processesOf(this.real.pid));
  }

  bytesWritten(): number {
    return bytesWritten(this.real.pid);
  }

  /** Below a twentieth of a core for a quarter of a second. */
  async quiet(): Promise<void> {
    let before = processorTime(this.real.pid);
    await eventually(
      'the service has nothing to do',
      () => {
        const now = processorTime(this.real.pid);
        const used = now - before;
        before = now;
        return used <= 10;
      },
      30_000,
      250,
    );
  }

  async stop(): Promise<void> {
    this.#client.close();
    // A clean shutdown may take long.
    this.real.kill('SIGKILL');
    await this.real.stop();
  }

  #sendBatch(body: Buffer): Promise<HttpReply> {
    return this.#client.stream('POST', '/api/blocked-ips/batch', 'application/json', [body]);
  }

  async #synced(): Promise<boolean> {
    return (await this.#client.request('POST', '/api/blocked-ips/sync')).status === 200;
  }

  async #endProxy(): Promise<void> {
    for (const pid of await this.real.proxyPids()) {
      const startTime = await processStartTime(pid);
      process.kill(pid, 'SIGKILL');
      await eventually('HAProxy is gone', async () => !(await processAlive(pid, startTime)));
    }
  }
}

/** Made before anything is timed. */
function batchBodies(list: 'add' | 'remove', ips: readonly string[]): Buffer[] {
  const bodies: Buffer[] = [];
  for (let start = 0; start < ips.length; start += 100_000) {
    bodies.push(Buffer.from(JSON.stringify({ [list]: ips.slice(start, start + 100_000) })));
  }
  return bodies;
}

function textChunks(ips: readonly string[]): Buffer[] {
  const chunks: Buffer[] = [];
  let text = '';
  for (const ip of ips) {
    text += `${ip}\n`;
    if (text.length >= chunkBytes) {
      chunks.push(Buffer.from(text));
      text = '';
    }
  }
  if (text !== '') chunks.push(Buffer.from(text));
  return chunks;
}

/** An answer that was not verified in every worker is no figure. */
function verified(what: string, answer: HttpReply, also: Json): void {
  const body = answer.status < 300 ? (JSON.parse(answer.body) as Json) : {};
  for (const [name, value] of Object.entries({ runtime_map_updated: true, ...also })) {
    if (body[name] !== value)
      throw new Error(`${what} was not verified: ${answer.status} ${answer.body.slice(0, 300)}`);
  }
}
