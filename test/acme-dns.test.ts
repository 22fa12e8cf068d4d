// A wildcard of a real authority, validated by TXT records that a hook creates.
import { X509Certificate } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWithPebble, Pebble } from '../testkit/acme/pebble.ts';
import { temporaryFolder } from '../testkit/blocking.ts';
import { CommandLineUser } from '../testkit/command-line-user.ts';
import { eventually } from '../testkit/conditions.ts';
import { freePort } from '../testkit/free-port.ts';
import { testProxies } from '../testkit/proxies.ts';
import { RealService } from '../testkit/real-service.ts';
import { servedSha1 } from '../testkit/tls/made-certificate.ts';

const names = ['*.shop.example.com', 'shop.example.com'];

describeWithPebble('an authority that validates by dns-01', () => {
  let pebble: Pebble;
  let service: RealService;
  let user: CommandLineUser;
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let calls: string;
  const ports = { https: 0 };
  beforeAll(async () => {
    ports.https = await freePort();
    pebble = await Pebble.start({ httpPort: 1, refusedNonces: 50 });
    folder = await temporaryFolder();
    const file = (name: string) => join(folder.path, name);
    calls = file('calls');
    await writeFile(file('roots.pem'), pebble.roots);
    const edits = { deploy_challenge: 'set-txt', clean_challenge: 'clear-txt' };
    await writeFile(
      file('hook'),
      `#!${process.execPath}
const [, , verb, domain, token, value] = process.argv;
require('node:fs').appendFileSync(${JSON.stringify(calls)}, [verb, domain, process.env.DNS_HOOK_ZONE].join(' ') + '\\n');
const url = 'http://127.0.0.1:${pebble.dns.managementPort}/' + ${JSON.stringify(edits)}[verb];
fetch(url, { method: 'POST', body: JSON.stringify({ host: '_acme-challenge.' + domain + '.', value }) });
`,
      { mode: 0o700 },
    );
    service = await RealService.start({
      bin: testProxies().found[0]!.bin,
      environment: {
        PROXY_MANAGER_HTTPS_BIND: `127.0.0.1:${ports.https}`,
        PROXY_MANAGER_ACME_TERMS_AGREED: 'true',
        PROXY_MANAGER_ACME_DIRECTORY: pebble.directory,
        PROXY_MANAGER_ACME_CA_FILE: file('roots.pem'),
        PROXY_MANAGER_ACME_DNS_HOOK: file('hook'),
        PROXY_MANAGER_ACME_DNS_SERVERS: pebble.dns.server,
        DNS_HOOK_ZONE: 'example.com',
      },
    });
    user = new CommandLineUser(service);
  });
  afterAll(async () => {
    await service?.stop();
    await pebble?.stop();
    await folder?.remove();
  });

  it('issues a wildcard beside its domain, and the records are removed', async () => {
    const ran = await user.run(['certificate', 'request', ...names]);
    expect([ran.code, ran.err], ran.out).toEqual([0, '']);
    const [id = ''] = /c-[a-z2-7]{10}/.exec(ran.out) ?? [];
    const leaf = new X509Certificate((await service.call('GET', `/api/certificates/${id}/chain`)).text);
    expect(leaf.subjectAltName?.split(', ').sort()).toEqual(names.map((name) => `DNS:${name}`));
    expect(await servedSha1(ports.https, 'any.shop.example.com')).toBe(leaf.fingerprint.replaceAll(':', ''));
    const { body } = await service.call('GET', `/api/acme/certificates/${id}`);
    expect(body).toMatchObject({ challenge: 'dns-01' });
    const line = (verb: string) => `${verb} shop.example.com example.com`;
    await eventually('the records are removed', async () => {
      const lines = (await readFile(calls, 'utf8')).trim().split('\n');
      return lines.filter((one) => one === line('clean_challenge')).length === 2;
    });
    const lines = (await readFile(calls, 'utf8')).trim().split('\n');
    expect(lines.slice(0, 2)).toEqual([line('deploy_challenge'), line('deploy_challenge')]);
    expect(lines).toHaveLength(4);
  });

  it('refuses http-01 for a wildcard', async () => {
    const body = { names: ['*.other.example.com'], challenge: 'http-01' };
    expect(await service.call('POST', '/api/acme/certificates', { body })).toMatchObject({
      status: 400,
      body: { code: 100 },
    });
  });
});
