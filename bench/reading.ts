// What it costs traffic that the service reads the counters of 100,000 addresses every ten seconds: latencies with the
// service, and with the service stopped (SIGSTOP), in turn: node bench/reading.ts [--rounds 5] [--seconds 60] HAPROXY...
import { connect } from 'node:net';
import { parseArgs } from 'node:util';
import { readProxyVersion } from '../src/haproxy/process/proxy-version.ts';
import { wholeNumber } from '../testkit/command-line.ts';
import { LoadGenerator } from '../testkit/load/traffic-loader.ts';
import type { LoadReport } from '../testkit/load/traffic-schedule.ts';
import { testProxies } from '../testkit/proxies.ts';
import { RealService } from '../testkit/real-service.ts';
import { usual } from './traffic-phases.ts';

const addresses = 100_000;
const network = '198.18.0.0/15';
/** HAProxy lists an address for a minute: each is denied once in this time. */
const cycleSeconds = 50;
/** Of each burst of denied requests, on a connection. */
const atOnce = 50;
const burstsPerSecond = addresses / cycleSeconds / atOnce;
/** The service reads every ten seconds. */
const settleMs = 12_000;

const addressOf = (n: number) => `198.${18 + (n >> 16)}.${(n >> 8) & 255}.${n & 255}`;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Denies each address in turn, until it is stopped. */
class DeniedTraffic {
  readonly #port: number;
  #timer: NodeJS.Timeout | null = null;
  #next = 0;
  answered = 0;

  constructor(port: number) {
    this.#port = port;
  }

  start(): void {
    this.#timer = setInterval(() => this.#burst(), 1_000 / burstsPerSecond);
  }

  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
  }

  #burst(): void {
    const requests = Array.from({ length: atOnce }, (_, n) => {
      const last = n === atOnce - 1 ? 'connection: close\r\n' : '';
      return `GET / HTTP/1.1\r\nhost: localhost\r\nx-real-ip: ${addressOf((this.#next + n) % addresses)}\r\n${last}\r\n`;
    });
    this.#next = (this.#next + atOnce) % addresses;
    const socket = connect(this.#port, '127.0.0.1', () => socket.write(requests.join('')));
    let reply = '';
    socket.on('data', (part) => {
      reply += part.toString('latin1');
    });
    // A failed burst is missing from what was answered.
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      this.answered += reply.split('HTTP/1.1 403').length - 1;
    });
  }
}

async function measure(bin: string, rounds: number, seconds: number): Promise<void> {
  const { text } = await readProxyVersion(bin);
  await using stack = new AsyncDisposableStack();
  const service = await RealService.start({ bin });
  stack.defer(() => service.stop());
  const generator = await LoadGenerator.start();
  stack.defer(() => generator.stop());
  const denied = new DeniedTraffic(service.proxyPort);
  stack.defer(() => denied.stop());
  await service.call('PUT', '/api/upstreams/front', { body: { networks: ['127.0.0.1'], header: 'x-real-ip' } });
  await service.call('POST', '/api/blocked-ips/batch', { body: { add: [network] } });
  denied.start();
  await pause((cycleSeconds + 5) * 1_000);
  const plan = { ...usual.load, port: service.proxyPort };
  const loaded = async (): Promise<LoadReport> =>
    (await generator.during(plan, 0, async () => await pause(seconds * 1_000))).load;
  const ratios: number[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    const reading = await loaded();
    const { body } = await service.call('GET', '/api/insight?range=1h');
    if (body['addresses'] !== addresses) throw new Error(`${body['addresses']} of ${addresses} addresses were denied`);
    service.kill('SIGSTOP');
    const stopped = await loaded().finally(() => service.kill('SIGCONT'));
    await pause(settleMs);
    ratios.push(reading.all.p99! / stopped.all.p99!);
    console.log(
      `${text} round ${round}, ms p50 / p99 / longest: ${latencies(reading)} reading, ${latencies(stopped)} without; x${ratios.at(-1)!.toFixed(2)}`,
    );
  }
  const median = ratios.toSorted((a, b) => a - b)[Math.floor(ratios.length / 2)]!;
  console.log(`${text}: p99 x${median.toFixed(2)} (median; goal 1.5), ${denied.answered} requests denied`);
}

function latencies({ all, own }: LoadReport): string {
  const [p50, p99, longest] = [all.p50!, all.p99!, all.longest!].map((ms) => ms.toFixed(2));
  return `${p50} / ${p99} / ${longest} (${all.failed} failed; the generator itself ${own.longest.toFixed(1)} late)`;
}

const { values, positionals } = parseArgs({
  options: { rounds: { type: 'string', default: '5' }, seconds: { type: 'string', default: '60' } },
  allowPositionals: true,
});
const rounds = wholeNumber('rounds', values.rounds, 1, 1_000);
const seconds = wholeNumber('seconds', values.seconds, 1, 3_600);
for (const bin of positionals.length > 0 ? positionals : testProxies().found.map((proxy) => proxy.bin))
  await measure(bin, rounds, seconds);
