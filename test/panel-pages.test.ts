// The administrator's pages in a real Chromium, over plain HTTP on a name other than localhost, where browsers withhold
// the APIs of secure contexts.
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Locator, Page, Request } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { builtInTemplate } from '../src/configuration/template/builtin-template.ts';
import { seriousFindingsInLongTests } from '../testkit/accessibility.ts';
import { chromiumPath, openPage, startBrowser } from '../testkit/browser.ts';
import { eventually, untilPasses } from '../testkit/conditions.ts';
import { showPageOfFailures } from '../testkit/page-of-failures.ts';
import { itInLongTests, testProxies } from '../testkit/proxies.ts';
import { RealService } from '../testkit/real-service.ts';
import { startUpstream, type Upstream } from '../testkit/upstream.ts';

/** The built-in template, except that HAProxy rejects its output for one domain. */
const template = `${builtInTemplate}
{%- for site in sites %}
{%- if site.domain == 'broken.example' %}
backend nonsense
    no-such-keyword here
{%- endif %}
{%- endfor %}
`;

const host = 'panel.test';
const [proxy] = testProxies().found;
const lacking = [
  ...(chromiumPath === null ? ['Chromium is not installed: apt-get install chromium'] : []),
  ...(proxy === undefined ? ['HAProxy is not installed'] : []),
];

describe.skipIf(lacking.length > 0)(['the panel’s pages', ...lacking].join(': skipped, '), () => {
  let folder: string;
  let upstream: Upstream;
  let service: RealService;
  let browser: Browser;
  let page: Page;
  const complaints: string[] = [];

  showPageOfFailures(() => page);
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pm-panel-'));
    await writeTemplate(template);
    [service, browser, upstream] = await Promise.all([
      RealService.start({ bin: proxy?.bin ?? '', environment: { PROXY_MANAGER_TEMPLATE: join(folder, 'template') } }),
      startBrowser([host]),
      startUpstream('shop'),
    ]);
    page = await openPage(browser, {
      viewport: { width: 1280, height: 900 },
      colorScheme: 'light',
      reducedMotion: 'reduce',
    });
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('console', (message) => {
      const text = message.text();
      // The page itself reports failed requests. Over plain HTTP the browser ignores one header, with a message.
      if (message.type() === 'error' && !/^(Failed to load resource|The Cross-Origin-Opener-Policy)/.test(text))
        complaints.push(text);
    });
    await page.goto(`${base()}/trusted`);
    await signIn(service.key);
  });
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
    await upstream?.stop();
    await rm(folder, { recursive: true, force: true });
  });
  beforeEach(async () => {
    // Closes a dialog of a failed test.
    if (await dialog().isVisible()) await page.reload();
  });
  afterEach(() => {
    expect(complaints).toEqual([]);
  });

  const base = (): string => `http://${host}:${service.apiPort}`;
  const writeTemplate = (text: string) => writeFile(join(folder, 'template'), text);
  const goTo = async (label: string): Promise<void> => {
    await page.getByRole('navigation').getByRole('link', { name: label, exact: true }).click();
    await page.getByRole('heading', { name: label, exact: true, level: 1 }).waitFor();
  };
  const signIn = async (key: string): Promise<void> => {
    await page.getByLabel('API key').fill(key);
    await page.keyboard.press('Enter');
    await page.getByRole('navigation').waitFor();
  };
  const says = (text: string | RegExp) => page.getByText(text).first().waitFor();
  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true });
  const dialog = () => page.getByRole('dialog');
  const gone = () => dialog().waitFor({ state: 'hidden' });

  it('trusts an address with a note, and restores it unchanged after Undo', async () => {
    await goTo('Trusted addresses');
    await says('No trusted addresses yet');
    await button('Trust address').click();
    await dialog().getByLabel('Address or network').fill('192.0.2.1/24');
    await dialog().getByRole('button', { name: 'Use 192.0.2.0/24' }).click();
    await dialog().getByLabel('Note').fill('our office');
    expect(await seriousFindingsInLongTests(page, { dialogOnly: true })).toEqual([]);
    await dialog().getByRole('button', { name: 'Trust network' }).click();
    await says('192.0.2.0/24 is trusted');
    await gone();
    const trusted = async () => (await service.call('GET', '/api/trusted-ips')).body.items;
    expect(await trusted()).toMatchObject([{ ip_address: '192.0.2.0/24', note: 'our office' }]);

    await button('Remove 192.0.2.0/24').click();
    await says('192.0.2.0/24 is no longer trusted');
    await says('No trusted addresses yet');
    expect(await trusted()).toEqual([]);
    await button('Undo').click();
    await says('192.0.2.0/24 is trusted again');
    expect(await trusted()).toMatchObject([{ ip_address: '192.0.2.0/24', note: 'our office' }]);
  });

  it('shows changes of other clients at once', async () => {
    await goTo('Trusted addresses');
    await service.call('PUT', '/api/trusted-ips/198.51.100.7', { body: { note: 'by another client' } });
    // With events the page polls only once a minute: what appears sooner came as an event.
    await page.getByText('by another client').waitFor({ timeout: 45_000 });
    await service.call('DELETE', '/api/trusted-ips/198.51.100.7');
    await page.getByText('by another client').waitFor({ state: 'detached', timeout: 45_000 });
  });

  it('adds a site and shows the state of each server', async () => {
    await goTo('Sites');
    await says('No sites yet');
    await button('Add site').click();
    await dialog().getByLabel('Domain', { exact: true }).fill('shop.example');
    const first = dialog().getByRole('group', { name: 'Server 1' });
    await first.getByLabel('Host').fill('127.0.0.1');
    await first.getByLabel('Port').fill(String(upstream.port));
    await dialog().getByRole('button', { name: 'Add server' }).click();
    const second = dialog().getByRole('group', { name: 'Server 2' });
    await second.getByLabel('Host').fill('127.0.0.1:80');
    await second.getByText('the port is a field of its own').waitFor();
    expect(await dialog().getByRole('button', { name: 'Add site' }).isDisabled()).toBe(true);
    await second.getByLabel('Host').fill('127.0.0.1');
    await second.getByLabel('Port').fill('9');
    await second.getByLabel('Weight').fill('5');
    await second.getByLabel('Backup, used only when all others are down').check();
    expect(await seriousFindingsInLongTests(page, { dialogOnly: true })).toEqual([]);
    await dialog().getByRole('button', { name: 'Add site' }).click();
    await says('shop.example is live');
    await gone();
    expect(await service.visit('127.0.0.1', { host: 'shop.example' })).toBe(200);
    expect((await service.call('GET', '/api/sites/shop.example')).body.servers).toEqual([
      { address: '127.0.0.1', port: upstream.port, options: { check: true } },
      { address: '127.0.0.1', port: 9, options: { check: true, weight: 5, backup: true } },
    ]);
    const card = page.getByRole('region', { name: 'shop.example' });
    await card.getByText('1 of 2 servers up').waitFor();
    await card.getByRole('row', { name: /127\.0\.0\.1:9 Down Connection refused backup, weight 5/ }).waitFor();
  });

  itInLongTests('shows HAProxy’s messages for a rejected site, and the live configuration', async () => {
    await goTo('Sites');
    await button('Add site').click();
    await dialog().getByLabel('Domain', { exact: true }).fill('broken.example');
    await dialog().getByLabel('Host').fill('127.0.0.1');
    await dialog().getByRole('button', { name: 'Add site' }).click();
    await dialog().getByText('Not applied; nothing was changed').waitFor();
    expect(await dialog().getByLabel('HAProxy messages').innerText()).toContain("unknown keyword 'no-such-keyword'");
    await dialog().getByText('The last working configuration was restored.').waitFor();
    expect(await seriousFindingsInLongTests(page, { dialogOnly: true })).toEqual([]);
    await dialog().getByRole('button', { name: 'Cancel' }).click();
    await gone();
    expect((await service.call('GET', '/api/sites')).body.total).toBe(1);
    expect(await service.visit('127.0.0.1', { host: 'shop.example' })).toBe(200);
  });

  itInLongTests('adds an upstream, after which a blocked client behind it is denied, and removes it', async () => {
    await service.block('203.0.113.70');
    const visit = (client: string) => service.visit('127.0.9.7', { headers: { 'x-forwarded-for': client } });
    expect(await visit('203.0.113.70')).toBe(200);
    await goTo('In front of HAProxy');
    await says('No upstreams yet');
    await button('Add upstream').click();
    await dialog().getByLabel('Name', { exact: true }).fill('lb');
    await dialog().getByLabel('Addresses and networks').fill('127.0.9.0/24, 127.0.0.0/9');
    await dialog().getByRole('button', { name: 'Add upstream' }).click();
    await dialog().getByText('127.0.0.0/9 is too wide for an upstream').waitFor();
    await dialog().getByLabel('Addresses and networks').fill('127.0.9.0/24');
    expect(await seriousFindingsInLongTests(page, { dialogOnly: true })).toEqual([]);
    await dialog().getByRole('button', { name: 'Add upstream' }).click();
    await says('lb is an upstream');
    await gone();
    const row = page.getByRole('row', { name: /^lb/ });
    await row.getByText('In force', { exact: true }).waitFor();
    expect([await visit('203.0.113.70'), await visit('203.0.113.71')]).toEqual([403, 200]);

    await page.getByLabel('Address that connects').fill('127.0.9.7');
    await page.getByLabel('Headers').fill('X-Forwarded-For: 198.51.100.1, 203.0.113.70');
    await button('Show checked address').click();
    await says('HAProxy checks 203.0.113.70: blocked by its own entry, so it answers 403.');
    expect(await seriousFindingsInLongTests(page)).toEqual([]);

    await button('Edit lb').click();
    await dialog().getByLabel('Names its client by').selectOption('X-Real-IP');
    await dialog().getByRole('button', { name: 'Save changes' }).click();
    await row.getByText('X-Real-IP').waitFor();
    await gone();
    expect(await visit('203.0.113.70')).toBe(200);

    await button('Remove lb').click();
    await dialog().getByText('a safe reload removes the rules').waitFor();
    await dialog().getByRole('button', { name: 'Remove upstream' }).click();
    await says('No upstreams yet');
    expect((await service.call('GET', '/api/upstreams')).body.total).toBe(0);
    await service.unblock('203.0.113.70');
  });

  itInLongTests('shows drift on three pages, with a link to the difference', async () => {
    const driftIs = (status: string) =>
      eventually(`the drift is ${status}`, async () => {
        const { body } = await service.call('GET', '/health');
        return body.configuration_drift.status === status;
      });
    await writeTemplate(template.replace('retries 3', 'retries 1'));
    await driftIs('drift');
    await page.reload();
    const banner = page.getByTestId('drift');
    for (const label of ['Overview', 'Sites', 'Configuration']) {
      await goTo(label);
      await banner.getByText('differs from the sites and settings (1 line to add, 1 to remove)').waitFor();
      await banner.getByText('A reload applies it.').waitFor();
    }
    await goTo('Sites');
    await banner.getByRole('link').click();
    await page.waitForURL(/\/configuration\?tab=change$/);
    await writeTemplate(template);
    await driftIs('none');
    await page.reload();
    await page.getByRole('heading', { name: 'Configuration', exact: true, level: 1 }).waitFor();
    await banner.waitFor({ state: 'detached' });
  });

  itInLongTests('replaces a manually edited configuration only with consent', async () => {
    const edited = `${await readFile(service.paths.config, 'utf8')}# by hand\n`;
    await writeFile(service.paths.config, edited);
    await goTo('Configuration');
    await button('Reload HAProxy…').click();
    await dialog().getByRole('button', { name: 'Reload HAProxy', exact: true }).click();
    await dialog().getByText('was written or edited by hand').first().waitFor();
    expect(await readFile(service.paths.config, 'utf8')).toBe(edited);
    expect(await seriousFindingsInLongTests(page, { dialogOnly: true })).toEqual([]);
    await dialog().getByRole('button', { name: 'Replace live configuration' }).click();
    await says('The new configuration is live');
    expect(await readFile(service.paths.config, 'utf8')).not.toContain('by hand');
  });

  itInLongTests('removes a site after confirmation, and restores it with Undo', async () => {
    await goTo('Sites');
    await button('Remove shop.example').click();
    await dialog().waitFor();
    expect(await seriousFindingsInLongTests(page, { dialogOnly: true })).toEqual([]);
    await dialog().getByRole('button', { name: 'Remove site' }).click();
    await says('shop.example removed');
    expect(await service.visit('127.0.0.1', { host: 'shop.example' })).toBe(404);
    await button('Undo').last().click();
    await says('shop.example restored');
    expect(await service.visit('127.0.0.1', { host: 'shop.example' })).toBe(200);
    expect((await service.call('GET', '/api/sites/shop.example')).body.servers).toHaveLength(2);
  });

  itInLongTests('shows the changes of a reload before it, and the new configuration after it', async () => {
    await writeTemplate(template.replace('retries 3', 'retries 2'));
    await goTo('Configuration');
    await page.getByLabel('Live configuration', { exact: true }).getByText('retries 3', { exact: true }).waitFor();
    await button('Reload HAProxy…').click();
    const change = dialog().getByLabel('Configuration changes');
    await change.waitFor();
    expect(await change.innerText()).toMatch(/-\s+retries 3[\s\S]*\+\s+retries 2/);
    expect(await seriousFindingsInLongTests(page, { dialogOnly: true })).toEqual([]);
    await dialog().getByRole('button', { name: 'Reload HAProxy', exact: true }).click();
    await says('The new configuration is live');
    await page.getByLabel('Live configuration', { exact: true }).getByText('retries 2', { exact: true }).waitFor();
    expect(await readFile(service.paths.config, 'utf8')).toContain('retries 2');
  });

  it('shows why an invalid configuration is refused, on validation and on reload', async () => {
    await writeTemplate(template.replace('retries 3', 'retires 3'));
    await goTo('Configuration');
    await button('Validate configuration').click();
    await says('Configuration is invalid');
    expect(await page.getByLabel('HAProxy messages').innerText()).toMatch(/\[ALERT\][\s\S]*retires/);
    await button('Reload HAProxy…').click();
    await dialog().getByRole('button', { name: 'Reload HAProxy', exact: true }).click();
    await dialog().getByText('HAProxy was not reloaded').waitFor();
    expect(await dialog().getByLabel('HAProxy messages').innerText()).toMatch(/\[ALERT\][\s\S]*retires/);
    await dialog().getByText('The last working configuration was restored.').waitFor();
    await dialog().getByRole('button', { name: 'Cancel' }).click();
    await gone();
    await page.getByRole('tab', { name: 'History' }).click();
    const rejected = page.getByRole('listitem').first();
    await rejected.getByText('Refused', { exact: true }).waitFor();
    expect(await rejected.getByLabel('HAProxy messages').innerText()).toMatch(/\[ALERT\][\s\S]*retires/);
    expect(await seriousFindingsInLongTests(page)).toEqual([]);
  });

  itInLongTests('restores a backup after confirmation', async () => {
    await writeTemplate(template);
    await goTo('Configuration');
    await page.getByRole('tab', { name: 'Backups' }).click();
    const { items } = (await service.call('GET', '/api/config/backups')).body;
    const live = (await service.call('GET', '/api/config')).body;
    const at = (items as { sha256: string }[]).findIndex(({ sha256 }) => sha256 !== live.sha256);
    await page
      .getByRole('row')
      .nth(at + 1)
      .getByRole('button')
      .click();
    // The changes are shown first.
    await dialog().getByText('Configuration changes').waitFor();
    await dialog().locator('[data-kind]').first().waitFor();
    await dialog().getByRole('button', { name: 'Restore backup', exact: true }).click();
    await says('The new configuration is live');
    expect((await service.call('GET', '/api/config')).body.sha256).toBe(items[at].sha256);
    await page
      .getByRole('row')
      .filter({ has: page.getByText('live', { exact: true }) })
      .first()
      .waitFor();
  });

  it('creates a key that is shown once, and revokes it', async () => {
    await goTo('API keys');
    await button('Create key').click();
    await dialog().getByLabel('Name').fill('looker');
    await dialog().getByText('30 days').click();
    expect(await seriousFindingsInLongTests(page, { dialogOnly: true })).toEqual([]);
    await dialog().getByRole('button', { name: 'Create key' }).click();
    const field = dialog().getByLabel('API key');
    await field.waitFor();
    // Only the button closes it: the key cannot be shown again.
    await page.keyboard.press('Escape');
    const key = await field.inputValue();
    expect((await service.call('GET', '/api/session', { key })).body).toMatchObject({
      name: 'looker',
      scopes: ['read'],
    });
    await dialog().getByRole('button', { name: 'I have saved it' }).click();
    await gone();
    expect(await page.content()).not.toContain(key);
    await page.getByRole('row', { name: /^looker Read-only Active, expires in 30 days/ }).waitFor();

    await button('Revoke key looker').click();
    await dialog().getByRole('button', { name: 'Revoke key' }).click();
    await says('Key looker revoked');
    await page.getByRole('row', { name: /^looker/ }).waitFor({ state: 'detached' });
    // Stored, but hidden.
    await page.getByText('No active keys').waitFor();
    expect((await service.call('GET', '/api/session', { key })).status).toBe(401);
  });

  itInLongTests('says what an unblock will do before it happens, and trusts the address for a time', async () => {
    const ip = '127.0.0.77';
    await service.call('PUT', '/api/blocked-ips?source=drop', { body: [{ ip_address: ip, reason: 'listed' }] });
    await service.call('POST', '/api/blocked-ips?source=fail2ban:sshd', { body: { ip_address: ip } });
    await service.block(ip, { reason: 'abuse', duration_seconds: 3_600 });
    await page.goto(`${base()}/blocked`);
    await page.getByRole('row', { name: new RegExp(`${ip} listed .*drop \\+2`) }).waitFor();
    await button(`Unblock ${ip}`).click();
    const claims = async (label: string) => {
      const items = await dialog().getByRole('list', { name: label }).getByRole('listitem').allInnerTexts();
      return items.map((text) => text.split('\n')[0]).sort();
    };
    await dialog().getByText('It stays blocked by drop. To allow it, trust it.').waitFor();
    expect(await claims('Dropped claims')).toEqual(['fail2ban:sshd', 'manual']);
    expect(await claims('Claims that stay')).toEqual(['drop']);
    expect(await seriousFindingsInLongTests(page, { dialogOnly: true })).toEqual([]);
    await dialog().getByRole('button', { name: 'Drop claims' }).click();
    await says(`${ip} is still blocked`);
    await gone();
    expect(await service.visit(ip)).toBe(403);
    const detail = async () => (await service.call('GET', `/api/blocked-ips/${ip}`)).body;
    expect(await detail()).toMatchObject({ claims: [{ source: 'drop' }] });
    await button('Undo').click();
    await says(new RegExp(`^Claims of .* to ${ip} restored`));
    const sources = ((await detail())['claims'] as { source: string }[]).map(({ source }) => source).sort();
    expect(sources).toEqual(['drop', 'fail2ban:sshd', 'manual']);

    await button(`Unblock ${ip}`).click();
    await dialog().getByText('7 days', { exact: true }).click();
    await dialog().getByRole('button', { name: 'Trust for 7 days' }).click();
    await says(`${ip} is trusted until`);
    expect(await service.visit(ip)).not.toBe(403);
    await goTo('Trusted addresses');
    await page.getByRole('row', { name: new RegExp(`${ip} .* in 7 days`) }).waitFor();
    await service.call('DELETE', `/api/trusted-ips/${ip}`);
  });

  itInLongTests('lists the sources, and what one of them claims', async () => {
    await goTo('Sources');
    const row = page.getByRole('row', { name: /^drop/ });
    // At first the page shows what it knew when it was left.
    await untilPasses(async () =>
      expect((await row.getByRole('cell').allInnerTexts()).slice(0, 4)).toEqual(['drop', 'List', '1', '1']),
    );
    await row.getByRole('link', { name: 'Show entries of drop' }).click();
    await says('1 found');
    await button('Remove filter: Source').click();
    await says(/ blocked$/);
  });

  itInLongTests('sorts and filters the list, and a copied link shows the same rows and the same story', async () => {
    const elsewhere = await openPage(browser, { viewport: { width: 1280, height: 800 } });
    await service.call('PUT', '/api/blocked-ips?source=dated', {
      body: ['198.18.0.1', '198.18.0.2', '198.18.4.0/22', '2001:db8:77::/48'],
    });
    const addresses = (at: Page) => at.getByRole('grid').locator('[data-column=address]').allInnerTexts();
    try {
      await page.goto(`${base()}/blocked?source=dated&order=desc&colour=red&family=ipv5`);
      await says('Ignored, since the list has no such filter: family=ipv5');
      await untilPasses(async () =>
        expect(await addresses(page)).toEqual(['2001:db8:77::/48', '198.18.4.0/22', '198.18.0.2', '198.18.0.1']),
      );
      await button('Filter by Family').click();
      await page.getByRole('menuitem', { name: 'IPv4' }).click();
      await says('3 found');
      await page.getByRole('grid').getByRole('button', { name: 'Address' }).click();
      await untilPasses(async () =>
        expect(await addresses(page)).toEqual(['198.18.0.1', '198.18.0.2', '198.18.4.0/22']),
      );
      await page.getByRole('grid').focus();
      await page.keyboard.press('End');
      await page.keyboard.press('Enter');
      await dialog().getByText('1,024 addresses').waitFor();
      await dialog().getByText('dated (list)').waitFor();
      await dialog()
        .getByText(/^Blocked on worker \d+/)
        .waitFor();
      expect(await seriousFindingsInLongTests(page)).toEqual([]);

      await elsewhere.goto(page.url());
      await elsewhere.getByLabel('API key').fill(service.key);
      await elsewhere.keyboard.press('Enter');
      await elsewhere.getByRole('dialog').getByText('1,024 addresses').waitFor();
      await untilPasses(async () => expect(await addresses(elsewhere)).toEqual(await addresses(page)));

      await page.keyboard.press('Escape');
      await dialog().waitFor({ state: 'hidden' });
      await page.keyboard.press('Space');
      await says('1 selected');
      // Back leads through the drawer, the order and the filter.
      for (const found of ['3 found', '3 found', '4 found']) {
        await page.goBack();
        await says(found);
      }
    } finally {
      await elsewhere.close();
      await service.call('PUT', '/api/blocked-ips?source=dated', { body: [] });
    }
  });

  itInLongTests('shows IPv4 as a map, by keyboard and with a table of the same sums', async () => {
    const inside = ['45.83.0.0/16', '45.1.2.3', '45.84.0.1'];
    for (const ip of [...inside, '91.7.7.7']) await service.block(ip);
    await goTo('Map');
    const figures = async (network: string) =>
      (await page.getByRole('row', { name: new RegExp(`^Open ${network.replaceAll('.', '\\.')}`) }).innerText())
        .split(/\s+/)
        .slice(-2);
    expect(await figures('45.0.0.0/8')).toEqual(['3', '65,538']);
    const rowsOf = async (table: string) =>
      (await page.getByRole('table', { name: table }).locator('tbody').getByRole('row').allInnerTexts()).map((row) =>
        row.split(/\s+/).filter(Boolean),
      );
    const area = page.locator('#map-area');
    await page.getByRole('button', { name: /^Map of the blocked addresses/ }).focus();
    // The network with most entries is current.
    await area.getByText('3 entries · 65,538 addresses · 6 of 1,024 cells (/18)').waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Map: 45.0.0.0/8' }).waitFor();
    await page.waitForURL(/\/map\?network=45\.0\.0\.0%2F8$/);
    await untilPasses(async () => {
      expect(await rowsOf('Networks with blocked addresses')).toEqual([
        ['45.80.0.0/14', '1', '65,536'],
        ['45.0.0.0/14', '1', '1'],
        ['45.84.0.0/14', '1', '1'],
      ]);
    });
    expect(await rowsOf('Entries by size')).toEqual([
      ['/16–/19', '1'],
      ['/32', '2'],
    ]);
    expect(await rowsOf('The widest blocked networks')).toEqual([['45.83.0.0/16', '65,536', 'addresses']]);
    await page.getByRole('button', { name: /^Map of the blocked addresses/ }).focus();
    await area.getByText('45.80.0.0/14').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { name: 'Map', exact: true }).waitFor();
    await page.getByText('Expiry', { exact: true }).click();
    await page.getByRole('region', { name: 'Legend' }).getByText('permanent').waitFor();
    await page.getByText('Denied', { exact: true }).click();
    await page.getByRole('region', { name: 'Networks', exact: true }).getByText('Denied requests, by /8').waitFor();
    expect(await figures('45.0.0.0/8')).toEqual(['0', '3']);
    await page.goto(`${base()}/map?network=45.0.0.0%2F8&layer=hits.now`);
    await says('Ignored, since the map has no such part: layer=hits.now');
    await page.getByRole('link', { name: 'Show entries in 45.80.0.0/14' }).click();
    await page.waitForURL(/\/blocked\?q=45\.80\.0\.0%2F14$/);
    await says('1 found');
    for (const ip of [...inside, '91.7.7.7']) await service.unblock(ip);
  });

  itInLongTests('unblocks all that the filters select, in one request, and saves the filters as a view', async () => {
    const many = Array.from({ length: 700 }, (_, at) => `198.19.${at >> 8}.${at & 255}`);
    await service.call('POST', '/api/blocked-ips/batch?source=jail:web', { body: { add: many } });
    await page.goto(`${base()}/blocked?source=jail%3Aweb`);
    await says('700 found');
    await button('Save view').click();
    await dialog().getByLabel('Name').fill('web-bans');
    await dialog().getByRole('button', { name: 'Save view' }).click();
    await dialog().waitFor({ state: 'hidden' });
    expect(await button('web-bans').getAttribute('aria-pressed')).toBe('true');
    await button('All').click();
    await page.waitForURL(/\/blocked$/);
    await button('web-bans').click();
    await says('700 found');

    const changes: string[] = [];
    const note = (request: Request): void => {
      const { search } = new URL(request.url());
      if (request.method() !== 'GET' && !search.includes('dry_run')) changes.push(`${request.method()} ${search}`);
    };
    page.on('request', note);
    await page.getByRole('grid').focus();
    await page.keyboard.press('Space');
    await button('Select all 700').click();
    await says('700 selected');
    await button('Unblock 700 entries').click();
    await dialog().getByText('Source jail:web. One request drops 700 claims').waitFor();
    expect(await seriousFindingsInLongTests(page, { dialogOnly: true })).toEqual([]);
    await dialog().getByRole('button', { name: 'Unblock 700 entries' }).click();
    await says('700 entries unblocked');
    await says('No entry has these properties');
    page.off('request', note);
    expect(changes).toEqual(['DELETE ?source=jail%3Aweb&expect=700']);
    await button('Remove view').click();
    await dialog().getByRole('button', { name: 'Remove view' }).click();
    await button('web-bans').waitFor({ state: 'detached' });
    await button('Remove all filters').click();
    await says(/ blocked$/);
  });

  itInLongTests('lists keys that are not bound to a source, and binds them', async () => {
    await service.call('POST', '/api/keys', { body: { name: 'fail2ban', scopes: ['block'] } });
    await service.call('POST', '/api/keys', { body: { name: 'jump', scopes: ['block'] } });
    await goTo('API keys');
    await says('2 keys are not bound to a source');
    await button('Bind fail2ban').click();
    expect(await seriousFindingsInLongTests(page, { dialogOnly: true })).toEqual([]);
    await dialog().getByLabel('Source', { exact: true }).fill('fail2ban:web');
    await dialog().getByRole('button', { name: 'Bind key' }).click();
    await says('Key fail2ban is bound to fail2ban:web');
    await says('1 key is not bound to a source');
    await button('Bind jump').click();
    await dialog().getByLabel('An operator').click();
    await dialog().getByRole('button', { name: 'Bind key' }).click();
    await page.getByText('not bound to a source').waitFor({ state: 'detached' });
    const keys = (await service.call('GET', '/api/keys')).body['items'] as { name: string; source: string | null }[];
    const bound = new Map(keys.map(({ name, source }) => [name, source]));
    expect([bound.get('fail2ban'), bound.get('jump')]).toEqual(['fail2ban:web', 'manual']);
  });

  it('moves between rows by keyboard, and never loses the focus', async () => {
    for (const ip of ['198.51.100.1', '198.51.100.2', '198.51.100.3'])
      await service.call('PUT', `/api/trusted-ips/${ip}`, { body: {} });
    await goTo('Trusted addresses');
    const row = (ip: string) => page.getByRole('row', { name: new RegExp(`^${ip.replaceAll('.', '\\.')}`) });
    const focused = (what: Locator) => what.and(page.locator(':focus')).waitFor();
    await row('198.51.100.3').waitFor();
    await row('192.0.2.0').focus();
    await page.keyboard.press('End');
    await focused(row('198.51.100.3'));
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowDown');
    await focused(row('198.51.100.1'));
    // From a control to the same control of the next row.
    await button('Remove 198.51.100.1').focus();
    await page.keyboard.press('ArrowDown');
    await focused(button('Remove 198.51.100.2'));
    await row('198.51.100.2').focus();
    await page.keyboard.press('Enter');
    await dialog().getByLabel('Note').waitFor();
    await page.keyboard.press('Escape');
    await gone();
    await focused(row('198.51.100.2'));
    // After a removal the next row has the focus.
    await page.keyboard.press('Delete');
    await says('198.51.100.2 is no longer trusted');
    await focused(row('198.51.100.3'));
    await page.keyboard.press('?');
    await dialog().getByText('Move between rows').waitFor();
    expect(await seriousFindingsInLongTests(page, { dialogOnly: true })).toEqual([]);
    await page.keyboard.press('Escape');
    await gone();
    await focused(row('198.51.100.3'));
    for (const ip of ['198.51.100.1', '198.51.100.3']) await service.call('DELETE', `/api/trusted-ips/${ip}`);
  });

  itInLongTests('adds a webhook, shows its secret once, and shows the state of its deliveries', async () => {
    let answer = 204;
    const received: { readonly signature: string; readonly body: string }[] = [];
    const receiver = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const signature = String(request.headers['webhook-signature']);
        received.push({ signature, body: Buffer.concat(chunks).toString('utf8') });
        response.writeHead(answer).end();
      });
    }).listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    const { port } = receiver.address() as AddressInfo;
    const hook = page.getByRole('row', { name: /^pager/ });
    try {
      await goTo('Webhooks');
      await says('No webhooks yet');
      await button('Add webhook').click();
      await dialog().getByLabel('Name').fill('pager');
      await dialog().getByLabel('URL').fill(`127.0.0.1:${port}/`);
      await dialog().getByText('must be a URL').waitFor();
      await dialog().getByLabel('URL').fill(`http://127.0.0.1:${port}/s3cret`);
      await dialog().getByLabel('Selected events').check();
      expect(await dialog().getByRole('button', { name: 'Add webhook' }).isDisabled()).toBe(true);
      await dialog().getByRole('checkbox', { name: 'Address trusted' }).check();
      expect(await seriousFindingsInLongTests(page, { dialogOnly: true })).toEqual([]);
      await dialog().getByRole('button', { name: 'Add webhook' }).click();
      const field = dialog().getByLabel('Webhook secret');
      await field.waitFor();
      // Only the button closes it: the secret cannot be shown again.
      await page.keyboard.press('Escape');
      expect(await field.inputValue()).toMatch(/^whsec_/);
      await dialog().getByRole('button', { name: 'I have saved it' }).click();
      await gone();
      await hook.getByText('Nothing delivered yet').waitFor();
      expect(await page.content()).not.toMatch(/whsec_|s3cret/);

      await service.call('PUT', '/api/trusted-ips/198.51.100.9', { body: {} });
      await hook.getByText(/^Delivered /).waitFor();
      expect(received).toHaveLength(1);
      answer = 500;
      await service.call('PUT', '/api/trusted-ips/198.51.100.8', { body: {} });
      await hook.getByText(/^Failing for /).waitFor();
      await hook.getByText('500').waitFor();
      expect(await hook.locator('[data-tone="good"]').count()).toBe(0);
      expect(await seriousFindingsInLongTests(page)).toEqual([]);
      answer = 204;
      await button('Retry delivery: pager').click();
      await hook.getByText(/^Delivered /).waitFor();

      await button('Edit pager').click();
      await dialog().getByLabel('All events').check();
      await dialog()
        .getByRole('switch', { name: /^Enabled/ })
        .uncheck();
      await dialog().getByRole('button', { name: 'Save changes' }).click();
      await gone();
      await hook.getByText('Disabled; events are not queued').waitFor();
      expect((await service.call('GET', '/api/webhooks/pager')).body).toMatchObject({
        url: `http://127.0.0.1:${port}/s3cret`,
        events: null,
        enabled: false,
      });
      await button('Remove pager').click();
      await dialog().getByRole('button', { name: 'Remove webhook' }).click();
      await says('No webhooks yet');
      expect((await service.call('GET', '/api/webhooks')).body.items).toEqual([]);
    } finally {
      receiver.close();
      receiver.closeAllConnections();
    }
  });

  it('shows events live, reports a lost connection, and reconnects when the service is back', async () => {
    await goTo('Activity');
    await eventually('it is live', async () => (await page.getByTestId('live').innerText()) === 'Live');
    await service.block('203.0.113.7', { reason: 'ssh', duration_seconds: 3_600 });
    await page.getByText(/203\.0\.113\.7 blocked by \S+ for 1\sh: ssh/).waitFor();
    service.kill('SIGKILL');
    await service.ended();
    try {
      await page
        .getByTestId('live')
        .getByText(/^Disconnected since .*: the service does not respond/)
        .waitFor();
    } finally {
      await service.launch();
    }
    await eventually('it is live again', async () => (await page.getByTestId('live').innerText()) === 'Live');
    await says('Earlier events are missing');
    await service.unblock('203.0.113.7');
    await page.getByText(/203\.0\.113\.7 unblocked/).waitFor();
    expect(await seriousFindingsInLongTests(page)).toEqual([]);
  });

  itInLongTests('finds the audit records of an address with their outcomes', async () => {
    await goTo('Activity');
    await page.getByRole('tab', { name: 'Audit log' }).click();
    await page.getByLabel('Address').fill('203.0.113.7');
    const rows = page.getByRole('table', { name: 'Audit log' }).getByRole('row');
    await eventually('two records are left', async () => (await rows.count()) === 3);
    expect(await rows.nth(1).innerText()).toMatch(/_settings unblocked 203\.0\.113\.7[\s\S]*Done/);
    // The filter is in the URL, after a pause in typing.
    await eventually('the URL has the filter', async () => /address=203\.0\.113\.7/.test(page.url()));
    await page.reload();
    await eventually('the filter is applied again', async () => (await rows.count()) === 3);
    expect(await page.getByLabel('Address').inputValue()).toBe('203.0.113.7');
    await rows.nth(2).getByRole('button').click();
    await says('expires at');
    expect(await seriousFindingsInLongTests(page)).toEqual([]);
    await service.block('203.0.113.7');
    await eventually('a third record appears automatically', async () =>
      /^.*\n?.*_settings blocked/.test(await rows.nth(1).innerText()),
    );
  });

  it('shows a read-only key no actions', async () => {
    const { body } = await service.call('POST', '/api/keys', { body: { name: 'guest', scopes: ['read'] } });
    await goTo('Trusted addresses');
    await service.call('PUT', '/api/trusted-ips/198.51.100.8', { body: {} });
    await button('Remove 198.51.100.8').click();
    // A message under the pointer stays, so only signing out can remove its Undo.
    const message = page.getByRole('alert').filter({ hasText: '198.51.100.8 is no longer trusted' });
    await message.hover();
    await button('Sign out').press('Enter');
    await message.waitFor({ state: 'detached' });
    await signIn(body.key as string);
    const links = await page.getByRole('navigation').getByRole('link').allInnerTexts();
    expect(links).not.toContain('API keys');
    expect(links).not.toContain('Configuration');
    expect(links).not.toContain('Webhooks');
    for (const label of ['Trusted addresses', 'Sites', 'In front of HAProxy', 'Activity']) {
      await goTo(label);
      await page
        .getByText(/192\.0\.2\.0\/24|shop\.example|No upstreams yet|No events/)
        .first()
        .waitFor();
      expect(await page.getByRole('button', { name: /Add|Trust|Edit|Remove|Undo/ }).allInnerTexts()).toEqual([]);
      expect(await page.getByRole('tab').count()).toBe(0);
    }
  });
});
