// docs/lets-encrypt.md, pasted line by line by a newcomer: staging, the real authority, and a company's own, which requires
// an account that it knows. Each authority is a pebble with roots of its own.
import { execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWithPebble, Pebble } from '../testkit/acme/pebble.ts';
import { CommandLineUser, type Ran } from '../testkit/command-line-user.ts';
import { freePort } from '../testkit/free-port.ts';
import { blocksOf as blocksOfPage, commandsOf } from '../testkit/page-commands.ts';
import { itInLongTests, testProxies } from '../testkit/proxies.ts';
import { RealService } from '../testkit/real-service.ts';
import { servedSha1 } from '../testkit/tls/made-certificate.ts';
import { startUpstream, type Upstream } from '../testkit/upstream.ts';

const blocksOf = (section: string) => blocksOfPage('lets-encrypt.md', section);
const [proxy] = testProxies().found;
const shop = 'shop.example.com';
const hmacKey = Buffer.alloc(32, 7).toString('base64url');

describeWithPebble('the page on Let’s Encrypt', () => {
  let staging: Pebble;
  let company: Pebble;
  let service: RealService;
  let server: Upstream;
  let user: CommandLineUser;
  let settings: string;
  let id = '';
  const ports = { http: 0, https: 0 };
  beforeAll(async () => {
    Object.assign(ports, { http: await freePort(), https: await freePort() });
    server = await startUpstream(shop);
    staging = await Pebble.start({ httpPort: ports.http });
    company = await Pebble.start({ httpPort: ports.http, externalAccounts: { 'customer-7': hmacKey } });
    const environment = {
      PROXY_MANAGER_HTTPS_BIND: `127.0.0.1:${ports.https}`,
      PROXY_MANAGER_HTTPS_PUBLIC_PORT: String(ports.https),
    };
    service = await RealService.start({ bin: proxy?.bin ?? '', environment, proxyPort: ports.http });
    settings = join(service.paths.prefix, 'settings');
    await writeFile(settings, '');
    user = new CommandLineUser(service);
  });
  afterAll(async () => {
    await service?.stop();
    await Promise.all([staging?.stop(), company?.stop(), server?.stop()]);
  });

  /** As systemd does: with the settings of the file. */
  async function restart(): Promise<void> {
    const entries = (await readFile(settings, 'utf8')).split('\n').filter((line) => line !== '');
    const environment = Object.fromEntries(entries.map((line) => line.split(/=(.*)/s).slice(0, 2)));
    service.kill('SIGTERM');
    await service.ended();
    await service.launch({
      ...environment,
      // In place of the authorities of the internet, each with its own roots.
      ...(environment['PROXY_MANAGER_ACME_DIRECTORY'] === 'letsencrypt-staging' ? await staging.settings() : {}),
      ...(environment['PROXY_MANAGER_ACME_DIRECTORY']?.startsWith('https:') ? await company.settings() : {}),
    });
  }

  async function paste(block: string): Promise<Ran[]> {
    const ran: Ran[] = [];
    for (const pasted of commandsOf(block)) {
      const command = pasted
        .replaceAll('/etc/default/proxy-manager', settings)
        .replaceAll('10.0.0.5:8080', `127.0.0.1:${server.port}`)
        .replaceAll('c-7f3kq2m4xa', id);
      if (command === 'systemctl restart proxy-manager') await restart();
      else if (command.startsWith('proxy-manager ')) ran.push(await user.run(command.split(/ +/).slice(1)));
      else execFileSync('bash', ['-e', '-c', command]);
    }
    return ran;
  }

  async function issuer(): Promise<string> {
    const { text } = await service.call('GET', `/api/certificates/${id}/chain`);
    const leaf = new X509Certificate(text);
    expect(await servedSha1(ports.https, shop)).toBe(leaf.fingerprint.replaceAll(':', ''));
    return leaf.issuer;
  }

  let stagingIssuer: string;

  it('its commands for staging print what it shows', async () => {
    const [commands = '', printed = ''] = blocksOf('Try it with the staging authority');
    const [ran] = await paste(commands);
    expect([ran?.code, ran?.err], ran?.out).toEqual([0, '']);
    id = /c-[a-z2-7]{10}/.exec(ran?.out ?? '')?.[0] ?? '';
    // A quick step may be missing, and an authority may have no windows.
    const general = (text: string) =>
      text
        .replaceAll(/c-\w{10}/g, 'c-')
        .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d UTC \(in .*?\)/g, 'AT')
        .replaceAll(/(127\.0\.0\.1|10\.0\.0\.5):\d+/g, 'SERVER')
        .replaceAll(/, (as the authority suggests|because of its age)/g, ', WHY')
        .split('\n');
    const shown = general(printed);
    const steps = shown.slice(1, shown.indexOf(`${shop}: the certificate is stored`));
    const [out, expected] = [general(ran?.out ?? ''), shown.filter((line) => !steps.includes(line))];
    expect(out).toEqual(expect.arrayContaining(expected));
    stagingIssuer = await issuer();
  });

  it('its commands for orders explain a certificate', async () => {
    const ran = await paste(blocksOf('When an order fails')[0] ?? '');
    expect(ran.map(({ code, err }) => [code, err])).toEqual([
      [0, ''],
      [0, ''],
    ]);
    expect(ran[0]?.out).toMatch(/^authority: https:.*\naccount: https:/);
    expect(ran[1]?.out).toMatch(/: the certificate is stored$/m);
  });

  it('a company’s authority that requires a known account says so, and then issues', async () => {
    const [commands = ''] = blocksOf('A company’s own authority'.replace('’', "'"));
    await paste(`sed -i /ACME/d ${settings}\n${commands}`);
    const refused = await user.run(['certificate', 'renew', id]);
    expect(refused.code).toBe(3);
    expect(refused.out).toMatch(/needs attention: .*\n/);
    expect(refused.out).toMatch(/PROXY_MANAGER_ACME_EAB_KID and PROXY_MANAGER_ACME_EAB_HMAC_FILE/);
    expect(await issuer()).toBe(stagingIssuer);
    const file = join(service.paths.prefix, 'eab-key');
    await writeFile(file, `${hmacKey}\n`, { mode: 0o600 });
    const eab = `PROXY_MANAGER_ACME_EAB_KID=customer-7\nPROXY_MANAGER_ACME_EAB_HMAC_FILE=${file}\n`;
    await writeFile(settings, eab, { flag: 'a' });
    await restart();
    const ran = await user.run(['certificate', 'renew', id]);
    expect([ran.code, ran.err], ran.out).toEqual([0, '']);
    expect(await issuer()).not.toBe(stagingIssuer);
  });

  // In parts: src/issuance/accounts.test.ts.
  itInLongTests('makes one account at each authority', async () => {
    await restart();
    const { body } = await service.call('GET', '/api/acme');
    expect(body).toMatchObject({ directory: company.directory, account: expect.any(String), total: 1, failing: 0 });
    await user.run(['certificate', 'renew', id]);
    for (const { output } of [staging, company]) {
      const counts = [...output.matchAll(/There are now (\d+) accounts/g)].map(([, count]) => count);
      expect(counts.at(-1)).toBe('1');
    }
  });
});
