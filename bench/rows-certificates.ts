// Two thousand certificates: uploads, renewals beside TLS clients and blocks, pages, a reload, memory.
import { connect } from 'node:tls';
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
const renewals = 200;
const handshakeEveryMs = 25;

interface Uploaded {
  readonly id: string;
  readonly name: string;
}

export async function* certificates(bench: Bench): AsyncGenerator<Figure> {
  const port = await freePort();
  const environment = { PROXY_MANAGER_HTTPS_BIND: `127.0.0.1:${port}` };
  const service = await bench.started.start(() => ServiceUnderTest.start(bench.bin, environment));
  const before = await settled(service);
  const reloadBefore = (await service.ask('POST', '/api/config/reload')).took;
  bench.say(`uploads ${count} certificates`);
  const uploaded: Uploaded[] = [];
  for (let number = 0; number < count; number += 1) {
    const name = `site${number}.example.com`;
    const { body } = await service.ask('POST', '/api/certificates', uploadFor(name));
    uploaded.push({ id: body['id'] as string, name });
  }
  // Without what the uploads left in the heap.
  await service.restart('service');
  await service.quiet();
  yield {
    ...plain(`memory that ${count} certificates add to the service`, 'MB'),
    value: (await settled(service)) - before,
    goal: 20,
  };
  const pages: number[] = [];
  for (let round = 0; round < 20; round += 1)
    pages.push((await service.ask('GET', '/api/certificates?limit=100')).took);
  yield { ...plain(`page of 100 of ${count} certificates, p50`, 'ms'), value: median(pages), goal: 20 };

  const load = await startLoad(bench);
  const pair = { service };
  bench.say('blocks alone');
  const alone = await during(
    bench,
    load,
    pair,
    'nothing else',
    () => new Promise((resolve) => setTimeout(resolve, 10_000)),
  );
  bench.say(`renews ${renewals}`);
  const took: number[] = [];
  let wrong = 0;
  const clients = new Clients(port, uploaded.slice(renewals));
  const beside = await during(bench, load, pair, `${renewals} renewals of ${count} certificates`, async () => {
    for (const { id, name } of uploaded.slice(0, renewals)) {
      const renewed = await service.ask('PUT', `/api/certificates/${id}`, uploadFor(name));
      took.push(renewed.took);
      const sha256 = await servedSha256(port, name);
      if (sha256 !== renewed.body['sha256'] || renewed.body['runtime_updated'] !== true) wrong += 1;
    }
  });
  const { failed, done } = await clients.end();
  yield { ...plain(`renewal of one of ${count} certificates, p50`, 'ms'), value: median(took), goal: 100 };
  yield { ...plain(`renewal of one of ${count} certificates, p99`, 'ms'), value: percentile(took, 0.99) };
  yield { ...plain(`handshakes with another certificate after ${renewals} renewals`, ''), value: wrong, goal: 0 };
  yield { ...plain(`failed of ${done} handshakes with other certificates meanwhile`, ''), value: failed, goal: 0 };
  yield { ...alone[0]!, goal: null };
  yield { ...beside[0]!, floor: alone[0]!.value, goal: 2, note: 'floor: without renewals' };
  yield beside[1]!;
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
