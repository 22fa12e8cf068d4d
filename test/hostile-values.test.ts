// Promise 8: every hostile value in every field of every endpoint of the real service. None reaches configuration, map
// file, running map or command line; each answer is a clear 4xx; no log line is forged; free text is returned
// unchanged.
import { readFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { hostileTexts } from '../testkit/hostile-values.ts';
import { type Attack, attacks, FREE_TEXTS, isHarmless } from '../testkit/http/attacks.ts';
import { sampleEnd } from '../testkit/http/endpoint-fields.ts';
import { describeOnOneProxy, longTests } from '../testkit/proxies.ts';
import { RealService } from '../testkit/real-service.ts';

const services: RealService[] = [];
afterEach(async () => {
  for (const service of services.splice(0)) await service.stop();
});

const all = await attacks();
/** Valid names would cause a reload, or make a key: tested against stubs. */
function makesSomething(one: Attack): boolean {
  return (
    /^(PUT|POST)$/.test(one.endpoint.method) &&
    /sites|keys|webhooks|upstreams/.test(one.endpoint.url) &&
    isHarmless(one)
  );
}

/** Everything that a hostile value could have changed. */
async function proxyState(service: RealService): Promise<unknown> {
  const files = await Promise.all(
    [service.paths.config, service.paths.trustedMap].map((path) => readFile(path, 'latin1')),
  );
  const { master, current } = await service.processes();
  const [listing = ''] = await service.raw('@1 show map');
  return {
    files,
    entries: await service.fileEntries(),
    running: (await service.runningMap()).sort(),
    trusted: (await service.raw(`@1 show map ${service.paths.trustedMap}`))[0]?.replaceAll(/^0x\S+ /gm, ''),
    maps: listing.replaceAll(/curr_ver=\d+ next_ver=\d+ /g, ''),
    reloads: master.reloads,
    workers: current.map(({ pid }) => pid),
  };
}

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly id: string;
}

function send(service: RealService, agent: Agent, one: Attack): Promise<Answer> {
  return new Promise((resolve, reject) => {
    // Node sends the body of a DELETE without framing unless its length is given.
    const length = one.body === undefined ? {} : { 'content-length': String(Buffer.byteLength(one.body)) };
    const headers: Record<string, string> = { authorization: `Bearer ${service.key}`, ...length, ...one.headers };
    const sent = request(
      { port: service.apiPort, method: one.endpoint.method, path: one.path, headers, agent },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
        });
        if (response.headers['content-type']?.startsWith('text/event-stream')) {
          resolve({ status: response.statusCode ?? 0, text, id: String(response.headers['x-request-id']) });
          response.destroy();
        }
        response.once('end', () =>
          resolve({ status: response.statusCode ?? 0, text, id: String(response.headers['x-request-id']) }),
        );
        response.once('error', reject);
      },
    );
    sent.once('error', (error) => reject(new Error(`${one.name}: ${error.message}`)));
    sent.end(one.body);
  });
}

/** Bytes that Node's client would not send. */
function sendRaw(service: RealService, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(service.apiPort, '127.0.0.1', () => socket.write(bytes, 'latin1'));
    let text = '';
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      text += chunk;
      socket.end();
    });
    socket.once('error', reject).once('close', () => resolve(text));
  });
}

describeOnOneProxy('hostile values', ({ bin }) => {
  test('stay inside every field they are sent in', async () => {
    const service = await RealService.start({ bin });
    services.push(service);
    await service.block('192.0.2.77');
    // With the expiry that the valid bodies set.
    const trusted = await service.call('PUT', '/api/trusted-ips/198.51.100.77', { body: { expires_at: sampleEnd } });
    expect(trusted.status).toBe(201);
    await service.healthy();
    const before = await proxyState(service);
    const agent = new Agent({ keepAlive: true, maxSockets: 4 });
    const chosen = all
      .filter((one) => one.where !== 'header' || one.endpoint.method === 'GET')
      .filter((one) => !makesSomething(one))
      // A sample; src/http/hostile-values.test.ts sends all values that endpoints validate themselves.
      .filter((_, index) => longTests || index % 96 === 0);

    const check = async (one: Attack): Promise<void> => {
      const { status, text, id } = await send(service, agent, one);
      // On a busy machine health may be degraded for a moment, which is its answer.
      const isHealth = one.endpoint.url === '/health' && status === 503;
      if (!isHealth) expect(status, `${one.name}: ${text}`).toBeLessThan(500);
      if (status >= 400) expect(text, one.name).not.toMatch(/<script>/);
      expect(id, one.name).toMatch(/^[A-Za-z0-9._-]{1,64}$/);
      if (status < 300 && one.where === 'body' && FREE_TEXTS.has(one.field)) {
        expect(JSON.parse(text)[one.field], one.name).toEqual(JSON.parse(one.value ?? ''));
      }
    };
    const waiting = [...chosen];
    await Promise.all(
      Array.from({ length: 4 }, async () => {
        for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await check(next);
      }),
    );
    agent.destroy();

    // Elements of streamed bodies: each is listed as rejected, the others are applied.
    const elements = hostileTexts.filter(
      (text) => text.isWellFormed() && text.length < 5_000 && !text.includes('\ufeff'),
    );
    const batch = await service.call('POST', '/api/blocked-ips/batch', { body: { add: elements, remove: elements } });
    expect(batch.body).toMatchObject({ added: 0, removed: 0, rejected_total: elements.length * 2 });
    const set = await service.call('PUT', '/api/blocked-ips', { body: ['192.0.2.77', ...elements] });
    expect(set.body).toMatchObject({ added: 0, removed: 0, unchanged: 1, rejected_total: elements.length });
    // In a text list some are comments, two lines, or valid once trimmed.
    const list = await service.call('PUT', '/api/blocked-ips', {
      raw: ['192.0.2.77', ...elements].join('\n'),
      contentType: 'text/plain',
    });
    expect(list.status, list.text).toBe(200);
    expect(list.body.rejected_total).toBeGreaterThan(60);
    const taken = (await service.listed()).filter((text) => text !== '192.0.2.77');
    expect(taken).toEqual(['192.0.2.78']);
    await service.unblock('192.0.2.78');

    for (const bytes of [
      'GET /livez\x00 HTTP/1.1\r\nhost: a\r\n\r\n',
      'GET /livez HTTP/1.1\r\nhost: a\r\nx: a\nb: c\r\n\r\n',
      'GET /livez HTTP/1.1\r\nhost: a\r\nhost: b\r\nx\x00: c\r\n\r\n',
      'GET /livez HTTP/1.1\r\n host: a\r\n\r\n',
      'GET http://a/livez HTTP/9.9\r\nhost: a\r\n\r\n',
      'POST /livez HTTP/1.1\r\nhost: a\r\ncontent-length: -1\r\n\r\n',
      'POST /livez HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n',
      'POST /livez HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked, identity\r\n\r\n',
      'POST /livez HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n',
      'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
      'GET /livez HTTP/1.1\r\n\r\n',
    ]) {
      expect(await sendRaw(service, bytes), JSON.stringify(bytes)).toMatch(/^HTTP\/1.1 4\d\d [\s\S]*problem\+json/);
    }

    // A null among the values removes the expiry.
    const again = await service.call('PUT', '/api/trusted-ips/198.51.100.77', { body: { expires_at: sampleEnd } });
    expect(again.status).toBe(200);
    const after = await proxyState(service);
    expect(after).toEqual(before);
    for (const line of (await readFile(service.paths.blockedMap, 'latin1')).split('\n')) {
      expect(line).toMatch(/^(#[0-9A-Za-z.,:/= -]*|[0-9a-f.:/]+ 1 *|)$/);
    }
    const log = (await service.logText()).split('\n').slice(0, -1);
    for (const line of log)
      expect(line).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z (INFO|WARN|ERROR) [A-Z][^\p{Cc}\u2028\u2029]*$/u);
    expect(log.filter((line) => /Z [A-Z]+ Safe reload completed/.test(line)).length).toBeLessThanOrEqual(1);
    for (const line of (await readFile(service.paths.jsonLog, 'utf8')).split('\n').slice(0, -1)) {
      expect(Object.keys(JSON.parse(line))).toContain('msg');
    }
    expect((await service.health()).body, 'healthy after it').toMatchObject({ status: 'ok' });
  });
});
