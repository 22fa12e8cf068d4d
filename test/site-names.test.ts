// Names, redirects and switches of sites through the API, each in force in a real HAProxy before the answer.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { acceptedRule } from '../src/configuration/rules/blocked-rule.ts';
import { describeOnNewestProxy, describeOnOneProxy } from '../testkit/proxies.ts';
import { RealService } from '../testkit/real-service.ts';
import { askProxy, startUpstream, type Upstream } from '../testkit/upstream.ts';

describeOnNewestProxy('a site with names', ({ bin }) => {
  let service: RealService;
  let [a, b]: Upstream[] = [];
  beforeAll(async () => {
    [a, b] = [await startUpstream('a'), await startUpstream('b')];
    service = await RealService.start({ bin });
  });
  afterAll(async () => {
    await service?.stop();
    await a?.stop();
    await b?.stop();
  });

  const put = (domain: string, body: object) => service.call('PUT', `/api/sites/${domain}`, { body });
  const to = (upstream: Upstream) => ({ servers: [{ address: '127.0.0.1', port: upstream.port }] });
  const ask = async (host: string) => await askProxy(service.proxyPort, host);
  const location = (host: string) =>
    new Promise((resolve, reject) => {
      const at = { host: '127.0.0.1', port: service.proxyPort, path: '/x?y', headers: { host }, agent: false };
      get(at, (response) => {
        response.resume();
        resolve({ status: response.statusCode, location: response.headers.location });
      }).once('error', reject);
    });
  const noSite = { status: 404, text: 'no such site' };

  it('is served under each of them, and redirects to the canonical one', async () => {
    const names = ['www.shop.example', '*.shop.example'];
    const set = await put('shop.example', { ...to(a!), names, canonical: 'www.shop.example' });
    expect(set.status).toBe(201);
    expect(set.body).toMatchObject({ names, canonical: 'www.shop.example', served: true, ignored: [] });
    expect(await ask('www.shop.example')).toEqual({ status: 200, text: 'a' });
    expect(await ask('any.shop.example')).toEqual({ status: 200, text: 'a' });
    expect(await location('shop.example')).toEqual({ status: 301, location: 'http://www.shop.example/x?y' });
    expect((await service.call('GET', '/api/sites/shop.example')).body).toMatchObject({ names });
    for (const method of ['GET', 'DELETE'])
      expect((await service.call(method, '/api/sites/www.shop.example')).body).toMatchObject({
        code: 1100,
        detail: 'there is no site www.shop.example; it is a name of the site shop.example',
      });
  });

  it('keeps a name from other sites, and an exact name of another site wins over its wildcard', async () => {
    const refused = [
      await put('www.shop.example', to(b!)),
      await put('b.example', { ...to(b!), names: ['*.shop.example'] }),
    ];
    for (const { status, body } of refused) {
      expect(status).toBe(409);
      expect(body).toMatchObject({ code: 6054, site: 'shop.example' });
    }
    expect((await put('b.shop.example', to(b!))).status).toBe(201);
    expect(await ask('b.shop.example')).toEqual({ status: 200, text: 'b' });
    expect(await ask('any.shop.example')).toEqual({ status: 200, text: 'a' });
  });

  it('is answered like no site while it is disabled, also below a wildcard, and keeps its names', async () => {
    const off = await put('b.shop.example', { ...to(b!), names: ['b.example'], enabled: false });
    expect(off.body).toMatchObject({ enabled: false, served: false, ignored: [] });
    expect(await ask('b.shop.example')).toEqual(noSite);
    expect(await ask('b.example')).toEqual(noSite);
    expect((await put('b.example', to(a!))).body).toMatchObject({ code: 6054, site: 'b.shop.example' });
    const { body } = await service.call('GET', '/api/sites/b.shop.example/servers');
    expect(body['items']).toMatchObject([{ port: b!.port, status: null }]);
    expect((await put('b.shop.example', { ...to(b!), names: ['b.example'] })).body).toMatchObject({ served: true });
    expect(await ask('b.example')).toEqual({ status: 200, text: 'b' });
    await service.healthy();
  });

  it('that redirects needs no server, and is not redirected to a redirect', async () => {
    const redirect = { to: 'https://www.shop.example/base/', status: 308 };
    const set = await put('old.example', { redirect, names: ['*.old.example'] });
    expect(set.body).toMatchObject({ servers: [], redirect: { ...redirect, keep_path: true }, served: true });
    for (const host of ['old.example', 'any.old.example'])
      expect(await location(host)).toEqual({ status: 308, location: 'https://www.shop.example/base/x?y' });
    const chain = await put('older.example', { redirect: { to: 'https://any.old.example' } });
    expect(chain.status).toBe(400);
    expect(chain.body).toMatchObject({ code: 6055, errors: [{ name: 'redirect.to' }] });
    expect((await service.call('GET', '/api/sites/older.example')).status).toBe(404);
    expect((await put('old.example', { redirect: { to: 'https://old.example:444' } })).body).toMatchObject({
      code: 6055,
    });
    expect((await service.call('GET', '/api/sites/old.example/servers')).body).toEqual({ items: [] });
  });

  it('that redirects has its target in a map alone', async () => {
    const hostile = "https://www.example/;#'$&(x)=%0a%22";
    const set = await put('hostile.example', { redirect: { to: hostile, status: 302, keep_path: false } });
    expect(set.status).toBe(201);
    expect(await location('hostile.example')).toEqual({ status: 302, location: hostile });
    expect(await readFile(service.paths.config, 'utf8')).not.toContain(hostile.slice(0, 20));
    expect((await service.call('DELETE', '/api/sites/hostile.example')).status).toBe(200);
    expect(await ask('hostile.example')).toEqual(noSite);
  });

  it('set by two requests at once has one owner', async () => {
    const domains = ['one.example', 'two.example', 'three.example'];
    const answers = await Promise.all(domains.map((domain) => put(domain, { ...to(a!), names: ['wanted.example'] })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
  });
});

describeOnOneProxy('a template that does not know names', ({ bin }) => {
  let folder: string;
  let service: RealService;
  let upstream: Upstream;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pm-template-'));
    upstream = await startUpstream('a');
    await writeFile(
      join(folder, 'proxy.liquid'),
      `global
    stats socket {{ stats_socket }} level admin
defaults
    mode http
    timeout connect 5s
    timeout client 5s
    timeout server 5s
frontend http
    bind {{ http_bind[0] }}
    ${acceptedRule('{{ blocked_map }}', '{{ trusted_map }}')}
    use_backend %[req.hdr(host),lower,map_str({{ sites_map }})]
{% for site in sites %}
backend {{ site.backend }}
{%- for server in site.servers %}
    server {{ server.name }} {{ server.endpoint }}
{%- endfor %}
{% endfor %}
`,
    );
    service = await RealService.start({ bin, environment: { PROXY_MANAGER_TEMPLATE: join(folder, 'proxy.liquid') } });
  });
  afterAll(async () => {
    await service?.stop();
    await upstream?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('serves further names, never a disabled site, and the answer says what it ignores', async () => {
    const put = async (body: object) =>
      (await service.call('PUT', '/api/sites/a.example', { body: { names: ['b.example', '*.a.example'], ...body } }))
        .body;
    const servers = [{ address: '127.0.0.1', port: upstream.port }];
    const statuses = async () =>
      await Promise.all(
        ['a.example', 'b.example', 'x.a.example'].map(async (host) => (await askProxy(service.proxyPort, host)).status),
      );
    expect(await put({ servers })).toMatchObject({ served: true, ignored: ['names'] });
    expect(await statuses()).toEqual([200, 200, 503]);
    expect(await put({ servers, names: ['b.example'], canonical: 'b.example' })).toMatchObject({
      ignored: ['canonical'],
    });
    expect(await statuses()).toEqual([200, 200, 503]);
    expect(await put({ servers, enabled: false })).toMatchObject({ served: false, ignored: [] });
    expect(await statuses()).toEqual([503, 503, 503]);
    const redirect = { to: 'https://c.example' };
    expect(await put({ redirect })).toMatchObject({ served: false, ignored: ['redirect'] });
    expect(await statuses()).toEqual([503, 503, 503]);
  });
});
