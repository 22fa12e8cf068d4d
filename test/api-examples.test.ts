// Runs every example of the OpenAPI document against the real service: status, schema and the names of all fields must
// be the documented ones.
import SqliteDatabase from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { getAttack } from '../src/api/insight.ts';
import { type Example, routeName } from '../src/api/operation.ts';
import { operations } from '../src/api/operations.ts';
import { documentedPath } from '../src/http/openapi/document.ts';
import { slowedTime } from '../testkit/clock.ts';
import { eventually } from '../testkit/conditions.ts';
import { freePort } from '../testkit/free-port.ts';
import { DocumentCheck } from '../testkit/http/document-check.ts';
import { testProxies } from '../testkit/proxies.ts';
import { RealService } from '../testkit/real-service.ts';
import { madeCertificate } from '../testkit/tls/made-certificate.ts';

const rows = operations.flatMap((doc) =>
  Object.entries(doc.examples).map(([name, example]) => ({
    title: `${doc.id} ${name}`,
    route: routeName(doc),
    doc,
    example,
  })),
);

let service: RealService;
let check: DocumentCheck;

async function block(body: object): Promise<void> {
  expect((await service.call('POST', '/api/blocked-ips', { body })).status).toBeLessThan(300);
}
async function unblock(address: string): Promise<void> {
  await service.call('DELETE', `/api/blocked-ips/${encodeURIComponent(address)}`);
}
async function setSite(): Promise<void> {
  // Each change is a reload.
  if ((await service.call('GET', '/api/sites/shop.example.com')).status === 200) return;
  const body = {
    servers: [
      { address: '127.0.0.1', port: 9 },
      { address: '127.0.0.1', port: 10 },
    ],
  };
  expect((await service.call('PUT', '/api/sites/shop.example.com', { body })).status).toBeLessThan(300);
}
const lb = { networks: ['10.0.3.0/24'], header: 'x-forwarded-for', note: 'the load balancer' };
async function setUpstreams(...names: readonly 'lb'[]): Promise<void> {
  const { body } = await service.call<{ items: { name: string }[] }>('GET', '/api/upstreams');
  const there = new Set(body.items.map(({ name }) => name));
  // The first and the last one are reloads.
  for (const name of names.filter((name) => !there.has(name)))
    expect((await service.call('PUT', `/api/upstreams/${name}`, { body: lb })).status).toBe(201);
  for (const name of there) {
    if (!(names as readonly string[]).includes(name)) await service.call('DELETE', `/api/upstreams/${name}`);
  }
}
async function setHook(): Promise<void> {
  const body = { url: 'https://hooks.example.com/proxy', events: ['health.changed', 'reload.failed'], enabled: false };
  expect((await service.call('PUT', '/api/webhooks/chat', { body })).status).toBeLessThan(300);
}
async function saveView(): Promise<void> {
  const body = { page: '/blocked', query: 'source=drop&sort=blocked_at' };
  expect((await service.call('PUT', '/api/views/dead-entries', { body })).status).toBeLessThan(300);
}
async function ban(): Promise<void> {
  const body = { ip_address: '203.0.113.7' };
  const answer = await service.call('POST', '/api/blocked-ips?source=fail2ban:sshd', { body });
  expect(answer.status).toBeLessThan(300);
}
async function trust(): Promise<void> {
  await service.call('PUT', '/api/trusted-ips/192.0.2.10', { body: { note: 'our office' } });
}

const newCertificate = () => {
  const { certificate, privateKey } = madeCertificate(['shop.example.com', 'www.shop.example.com'], { chained: true });
  return { certificate, private_key: privateKey };
};
async function removeCertificates(): Promise<void> {
  const { body } = await service.call<{ items: { id: string }[] }>('GET', '/api/certificates');
  for (const { id } of body.items) await service.call('DELETE', `/api/certificates/${id}?force=true`);
  const { next } = (await service.call<{ next: { id: string }[] }>('GET', '/api/acme')).body;
  for (const { id } of next) await service.call('DELETE', `/api/acme/certificates/${id}`);
}
/** Returns when the order has begun. */
async function order(): Promise<string> {
  await removeCertificates();
  const body = { names: ['shop.example.com'] };
  const { id } = (await service.call<{ id: string }>('POST', '/api/acme/certificates', { body })).body;
  await eventually('the order begins', async () => {
    const { body } = await service.call<{ attempts: unknown[] }>('GET', `/api/acme/certificates/${id}`);
    return body.attempts.length > 0;
  });
  return id;
}
async function upload(): Promise<string> {
  await removeCertificates();
  const answer = await service.call('POST', '/api/certificates', { body: newCertificate() });
  expect(answer.status).toBe(201);
  return answer.body['id'];
}
async function uploadForSite(): Promise<string> {
  await setSite();
  return await upload();
}

function attack(): void {
  const database = new SqliteDatabase(service.paths.database);
  const { started_at, ended_at, top_networks, top_sites, ...more } = getAttack.examples.ended.answer;
  const seconds = [started_at, ended_at].map((time) => Date.parse(time) / 1_000);
  const tops = JSON.stringify({ networks: top_networks, sites: top_sites });
  database
    .prepare(
      'replace into attacks (id, started_at, ended_at, peak, usual, denied, top_json) values (?, ?, ?, ?, ?, ?, ?)',
    )
    .run(more.id, ...seconds, more.peak, more.usual, more.denied, tops);
  database.close();
}

async function listed(addresses: readonly string[]): Promise<void> {
  const body = addresses.map((ip_address) => ({ ip_address }));
  await service.call('PUT', '/api/blocked-ips?source=drop&allow_shrink=true', { body });
}

/** After a start, not before HAProxy was read. */
async function figuresKnown(): Promise<void> {
  await eventually(
    'figures are known',
    async () => (await service.call('GET', '/api/insight?range=24h')).status === 200,
  );
}

/** Gaps as documented. */
function noGaps(documented: Record<string, unknown>): Record<string, unknown> {
  return 'gaps' in documented ? { gaps: documented['gaps'] } : {};
}

/** Preconditions of examples that need one. */
const before: Readonly<Record<string, () => Promise<void>>> = {
  'getInsight day': figuresKnown,
  'getSeries hour': figuresKnown,
  'getAttack ended': async () => attack(),
  'blockAddress for_four_hours': () => unblock('203.0.113.7'),
  'blockAddress network_for_good': () => unblock('198.51.100.0/24'),
  'blockAddress again': () => block({ ip_address: '203.0.113.7', reason: 'x', blocked_by: 'x', duration_seconds: 9 }),
  'blockAddress trusted': trust,
  'getBlockedAddress covered': () => blockNetwork(),
  'unblockAddress not_blocked': () => blockNetwork(),
  'checkAddress blocked': () => blockNetwork(),
  'getBlockedAddress address': () => block({ ip_address: '203.0.113.7' }),
  'unblockAddress address': () => block({ ip_address: '203.0.113.7' }),
  'unblockAddress exception': () => listed(['203.0.113.66']),
  'checkAddress trusted': trust,
  'trustAddress office': async () => void (await service.call('DELETE', '/api/trusted-ips/192.0.2.10')),
  'getTrustedAddress address': trust,
  'distrustAddress address': trust,
  'setSite two_servers': async () => void (await service.call('DELETE', '/api/sites/shop.example.com')),
  'setSite tls': setSite,
  'setSite keep': async () => {
    await service.call('DELETE', '/api/sites/shop.example.com');
    await setSite();
  },
  'getSite site': setSite,
  'listServers states': setSite,
  'removeSite site': setSite,
  'listSites all': setSite,
  'getSiteTls site': async () => {
    await uploadForSite();
    const body = { redirect: 'auto', hsts: { max_age: 31_536_000 } };
    expect((await service.call('PUT', '/api/sites/shop.example.com/tls', { body })).status).toBe(200);
  },
  'setSiteTls redirect': async () => void (await uploadForSite()),
  'setSiteTls keep': async () => {
    await uploadForSite();
    const body = { redirect: 'auto' };
    expect((await service.call('PUT', '/api/sites/shop.example.com/tls', { body })).status).toBe(200);
  },
  'setSiteTls waiting': async () => {
    await setSite();
    await removeCertificates();
  },
  'listCertificates all': async () => void (await uploadForSite()),
  'addCertificate upload': async () => {
    await setSite();
    await removeCertificates();
  },
  'getAcme one': async () => void (await order()),
  'requestCertificate one': removeCertificates,
  'listUpstreams all': () => setUpstreams('lb'),
  'getUpstream load_balancer': () => setUpstreams('lb'),
  'setUpstream load_balancer': () => setUpstreams(),
  'setUpstream cdn': async () => {
    await setUpstreams('lb');
    await block({ ip_address: '203.0.113.7' });
  },
  'explainClientAddress through_an_upstream': async () => {
    await setUpstreams('lb');
    await block({ ip_address: '203.0.113.7' });
  },
  'removeUpstream last': () => setUpstreams('lb'),
  'listViews all': saveView,
  'getView one': saveView,
  'setView new_one': async () => void (await service.call('DELETE', '/api/views/dead-entries')),
  'removeView one': saveView,
  'setWebhook new_one': async () => void (await service.call('DELETE', '/api/webhooks/chat')),
  'getWebhook one': setHook,
  'listWebhooks all': setHook,
  'removeWebhook one': setHook,
  'replaceBlockedAddresses shrink': async () => {
    const lines = Array.from({ length: 120 }, (_, index) => `203.0.112.${index}`);
    const raw = [...lines, '203.0.113.7'].join('\n');
    await service.call('PUT', '/api/blocked-ips?allow_shrink=true', { raw, contentType: 'text/plain' });
  },
  'unblockSelected a_source': async () => {
    for (let last = 1; last <= 12; last += 1) {
      const body = { ip_address: `203.0.113.${last + 100}` };
      await service.call('POST', '/api/blocked-ips?source=fail2ban:sshd', { body });
      if (last === 12) await block(body);
    }
  },
  'unblockSelected another_count': async () => {
    for (let last = 1; last <= 3; last += 1) await block({ ip_address: `203.0.113.${last}`, reason: 'wrong filter' });
  },
  'getSource sshd': ban,
  'setSource list': async () => void (await service.call('DELETE', '/api/sources/drop')),
  'removeSource sshd': ban,
  'releaseSource stop': ban,
  'listBlockedAddresses first_page': async () => {
    for (const ip_address of ['203.0.113.7', '203.0.113.8', '203.0.113.9']) await block({ ip_address });
  },
  'listBlockedAddresses newest': async () => {
    await blockNetwork();
    await block({ ip_address: '203.0.113.7' });
  },
  'listBlockedAddresses search': () => block({ ip_address: '203.0.113.7', expires_at: '2090-01-01T00:00:00Z' }),
};

const blockNetwork = () =>
  block({ ip_address: '198.51.100.0/24', reason: 'abuse desk does not answer', blocked_by: 'ops' });

/** The service generates ids: an existing one replaces the example's. */
const ids: Readonly<Record<string, (example: Example) => Promise<string>>> = {
  undoOperation: async ({ status }) => {
    if (status === 409) await service.call('POST', '/api/keys', { body: { name: `undo-${Date.now()}` } });
    else {
      await block({ ip_address: '203.0.113.7' });
      await unblock('203.0.113.7');
    }
    const operation = status === 409 ? 'create_key' : 'unblock';
    const { body } = await service.call<{ items: { id: number }[] }>(
      'GET',
      `/api/audit?operation=${operation}&limit=1`,
    );
    return String(body.items[0]!.id);
  },
  getCertificate: uploadForSite,
  replaceCertificate: uploadForSite,
  getCertificateChain: uploadForSite,
  verifyCertificate: uploadForSite,
  removeCertificate: async () => {
    await service.call('DELETE', '/api/sites/shop.example.com');
    return await upload();
  },
  getAcmeCertificate: order,
  renewCertificate: order,
  stopRenewal: order,
  getReload: async () =>
    (await service.call<{ items: { id: string }[] }>('GET', '/api/config/reloads')).body.items[0]!.id,
  restoreBackup: async () =>
    (await service.call<{ items: { id: string }[] }>('GET', '/api/config/backups')).body.items[0]!.id,
};

/** Their bodies are replaced: those of the examples show no real certificate. */
const uploads: ReadonlySet<string> = new Set(['addCertificate', 'replaceCertificate']);

/** The key of the request, unless it is the service's. */
const bearers: Readonly<Record<string, () => Promise<string>>> = {
  signOut: async () => (await service.call('POST', '/api/session')).body['token'],
};

async function run(route: string, operation: string, example: Example) {
  const [method = '', url = ''] = route.split(' ');
  const values = { ...example.path, ...(ids[operation] === undefined ? {} : { id: await ids[operation](example) }) };
  const path = url.replaceAll(/:([a-z_]+)/g, (_, name: string) => encodeURIComponent(values[name as 'id'] as string));
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(example.query ?? {})) query.set(name, String(value));
  const whole = query.size === 0 ? path : `${path}?${query}`;
  if (example.accept === 'text/event-stream')
    return { method, path: documentedPath(url), answer: await beginOfStream(whole) };
  const answer = await service.call(method, whole, {
    ...(example.body === undefined
      ? {}
      : typeof example.body === 'string'
        ? { raw: example.body, contentType: example.mediaType as string }
        : { body: uploads.has(operation) ? newCertificate() : example.body }),
    ...(example.accept === undefined ? {} : { accept: example.accept }),
    ...(bearers[operation] === undefined ? {} : { key: await bearers[operation]() }),
  });
  return { method, path: documentedPath(url), answer };
}

async function beginOfStream(path: string) {
  const headers = { authorization: `Bearer ${service.key}` };
  const response = await fetch(`http://127.0.0.1:${service.apiPort}${path}`, { headers });
  const reader = response.body!.getReader();
  const text = new TextDecoder().decode((await reader.read()).value);
  await reader.cancel();
  const body: Record<string, unknown> = {};
  return { status: response.status, headers: Object.fromEntries(response.headers), text, body };
}

/** All names in a value; of lists, those of the first element. */
/** Warnings depend on the machine: a slow one may verify a worker late. Their form is checked with the schema. */
function namesIn(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? [] : [namesIn(value[0])];
  if (typeof value !== 'object' || value === null) return null;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, name === 'warnings' ? null : namesIn(inner)]),
  );
}

/** For examples whose answers count entries. */
const after: Readonly<Record<string, () => Promise<void>>> = {
  'unblockAddress exception': () => listed([]),
};

describe('the examples of the API’s description', () => {
  beforeAll(async () => {
    service = await RealService.start({
      bin: testProxies().found.at(-1)!.bin,
      environment: {
        // On a slow machine a worker may need longer than a change waits for it.
        ...slowedTime,
        PROXY_MANAGER_HTTPS_BIND: `127.0.0.1:${await freePort()}`,
        PROXY_MANAGER_ACME_TERMS_AGREED: 'true',
        // Nothing listens: orders wait.
        PROXY_MANAGER_ACME_DIRECTORY: 'https://127.0.0.1:9/directory',
      },
    });
    check = new DocumentCheck((await service.call('GET', '/openapi.json', { key: null })).body as never);
    await blockNetwork();
  });
  afterAll(() => service?.stop());

  it.each(rows)('$title', async ({ title, route, doc, example }) => {
    await before[title]?.();
    const { method, path, answer } = await run(route, doc.id, example);
    await after[title]?.();
    const { status, text, headers } = answer;
    expect({ status, text: status === (example.status ?? 200) ? '' : text }).toEqual({
      status: example.status ?? 200,
      text: '',
    });
    if (doc.id === 'getDescription') return;
    expect(check.answerFaults(method, path, { status, contentType: String(headers['content-type']), text })).toEqual(
      [],
    );
    if (typeof example.answer === 'string') {
      expect(text.split('\n')).toEqual(expect.arrayContaining(example.answer.split('\n').slice(0, 1)));
      return;
    }
    const documented = example.answer as Record<string, unknown>;
    // Texts for people must be the service's own.
    if (status >= 400) expect(answer.body).toEqual({ ...documented, request_id: answer.body['request_id'] });
    // On a slow machine a reading may be late, which is a gap.
    else if (!title.startsWith('list'))
      expect(namesIn({ ...answer.body, ...noGaps(documented) })).toEqual(namesIn(documented));
    expect(answer.body['rejected']).toEqual(documented['rejected']);
  });

  it('are those of every operation that the service has', () => {
    const ran = new Set(rows.map(({ doc }) => doc.id));
    expect(check.operations().filter(({ operation }) => !ran.has(operation.operationId))).toEqual([]);
  });
});
