// Two thousand certificates: memory, uploads, renewals beside TLS clients and blocks, pages, a reload.
import { connect } from 'node:tls';
import { pause } from '../src/concurrency/pause.ts';
import { freePort } from '../testkit/free-port.ts';
import { median, percentile } from '../testkit/load/percentile.ts';
import { servedSha1 } from '../testkit/tls/made-certificate.ts';
import { newKey, selfSigned } from '../testkit/tls/uploads.ts';
import type { Bench } from './bench.ts';
import type { Figure } from './figures.ts';
import { settled } from './rows-memory.ts';
import { during, startLoad } from './rows-urgent.ts';
import { ServiceUnderTest } from './service-under-test.ts';

const count = 2_000;
/** Of measurements that differ from run to run by as much as their goals: the median pair counts. */
const pairs = 5;
const renewalsEach = 100;
const renewals = pairs * renewalsEach;
const aloneMs = 6_000;
const handshakeEveryMs = 25;

type Environment = Readonly<Record<string, string>>;

interface Uploaded {
  readonly id: string;
  readonly name: string;
}

export async function* certificates(bench: Bench): AsyncGenerator<Figure> {
  const port = await freePort();
  const environment = { PROXY_MANAGER_HTTPS_BIND: `127.0.0.1:${port}` };
  const service = await bench.started.start(() => ServiceUnderTest.start(bench.bin, environment));
  const reloadBefore = (await service.ask('POST', '/api/config/reload')).took;
  bench.say(`uploads ${count} certificates`);
  const uploaded: Uploaded[] = [];
  for (let number = 0; number < count; number += 1) {
    const name = `site${number}.example.com`;
    const { body } = await service.ask('POST', '/api/certificates', uploadFor(name));
    uploaded.push({ id: body['id'] as string, name });
  }
  void addedMemory;
  void environment;
  const pages: number[] = [];
  for (let round = 0; round < 20; round += 1)
    pages.push((await service.ask('GET', '/api/certificates?limit=100')).took);
  yield { ...plain(`page of 100 of ${count} certificates, p50`, 'ms'), value: median(pages), goal: 20 };

  const { master } = await service.real.processes();
  const load = await startLoad(bench);
  const pair = { service };
  const took: number[] = [];
  let wrong = 0;
  const renew = async ({ id, name }: Uploaded): Promise<void> => {
    const renewed = await service.ask('PUT', `/api/certificates/${id}`, uploadFor(name));
    took.push(renewed.took);
    const sha256 = await servedSha256(port, name);
    if (sha256 !== renewed.body['sha256'] || renewed.body['runtime_updated'] !== true) wrong += 1;
  };
  // In both halves of each pair.
  const clients = new Clients(port, uploaded.slice(renewals));
  const blocks: { readonly alone: Figure; readonly beside: Figure; readonly longest: Figure }[] = [];
  for (let round = 0; round < pairs; round += 1) {
    bench.say(`blocks alone, and beside ${renewalsEach} renewals: pair ${round + 1} of ${pairs}`);
    const [alone] = await during(bench, load, pair, 'nothing else', () => pause(aloneMs));
    const what = `${renewalsEach} renewals of ${count} certificates`;
    const [beside, longest] = await during(bench, load, pair, what, async () => {
      for (const one of uploaded.slice(round * renewalsEach, (round + 1) * renewalsEach)) await renew(one);
    });
    blocks.push({ alone: alone!, beside: beside!, longest: longest! });
  }
  const { failed, done } = await clients.end();
  yield { ...plain(`renewal of one of ${count} certificates, p50`, 'ms'), value: median(took), goal: 100 };
  yield { ...plain(`renewal of one of ${count} certificates, p99`, 'ms'), value: percentile(took, 0.99) };
  yield { ...plain(`handshakes with another certificate after ${renewals} renewals`, ''), value: wrong, goal: 0 };
  yield { ...plain(`failed of ${done} handshakes with other certificates meanwhile`, ''), value: failed, goal: 0 };
  const reloads = (await service.real.processes()).master.reloads - master.reloads;
  yield { ...plain(`reloads of HAProxy during ${renewals} renewals`, ''), value: reloads, goal: 0 };
  const { alone, beside } = medianBy(blocks, (one) => one.beside.value / one.alone.value);
  yield { ...beside, floor: alone.value, goal: 2, note: `floor: without renewals; the median of ${pairs} pairs` };
  yield blocks.map(({ longest }) => longest).toSorted((one, other) => other.value - one.value)[0]!;
  await service.quiet();
  const reload = (await service.ask('POST', '/api/config/reload')).took;
  yield {
    ...plain(`safe reload with ${count} certificates`, 'ms'),
    value: reload,
    floor: reloadBefore,
    note: 'floor: without certificates',
  };
  await bench.started.stop(load);
}

/** Against a service without certificates: both are started again for each pair, so that their heaps are new. */
async function addedMemory(bench: Bench, service: ServiceUnderTest, environment: Environment): Promise<Figure> {
  const https = { PROXY_MANAGER_HTTPS_BIND: `127.0.0.1:${await freePort()}` };
  const empty = await bench.started.start(() => ServiceUnderTest.start(bench.bin, { ...environment, ...https }));
  const added: number[] = [];
  for (let round = 0; round < pairs; round += 1) {
    bench.say(`memory with and without certificates: pair ${round + 1} of ${pairs}`);
    const measured: number[] = [];
    for (const one of [empty, service]) {
      await one.restart('service');
      await one.quiet();
      measured.push(await settled(one));
    }
    added.push(measured[1]! - measured[0]!);
  }
  await bench.started.stop(empty);
  const note = `median of ${pairs} pairs: ${added.map((one) => one.toFixed(1)).join(', ')}`;
  return {
    ...plain(`memory that ${count} certificates add to the service`, 'MB'),
    value: median(added),
    goal: 20,
    note,
  };
}

/** The one whose figure is the median; of an odd number. */
function medianBy<T>(all: readonly T[], figure: (one: T) => number): T {
  return all.toSorted((one, other) => figure(one) - figure(other))[all.length >> 1]!;
}

function plain(name: string, unit: Figure['unit']) {
  return { name, unit, floor: null, goal: null };
}

function uploadFor(name: string): object {
  const { certificate, privateKey } = selfSigned([name], { privateKey: newKey() });
  return { certificate, private_key: privateKey };
}

/** SHA-256 of the certificate that a client gets, as the API shows it; null: the handshake failed. */
function servedSha256(port: number, servername: string): Promise<string | null> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port, servername, rejectUnauthorized: false });
    socket.once('secureConnect', () => {
      resolve(socket.getPeerX509Certificate()?.fingerprint256.replaceAll(':', '').toLowerCase() ?? null);
      socket.destroy();
    });
    socket.once('error', () => resolve(null));
  });
}

/** One TLS handshake every 25 ms, whether or not the earlier ones ended. */
class Clients {
  readonly #timer: NodeJS.Timeout;
  readonly #pending = new Set<Promise<void>>();
  #failed = 0;
  #done = 0;

  constructor(port: number, names: readonly Uploaded[]) {
    this.#timer = setInterval(() => {
      const { name } = names[this.#done % names.length]!;
      this.#done += 1;
      const one = servedSha1(port, name).then((sha1) => {
        if (sha1 === null) this.#failed += 1;
        this.#pending.delete(one);
      });
      this.#pending.add(one);
    }, handshakeEveryMs);
  }

  async end(): Promise<{ failed: number; done: number }> {
    clearInterval(this.#timer);
    await Promise.all(this.#pending);
    return { failed: this.#failed, done: this.#done };
  }
}
