// Names, redirects and switches of sites in the panel, in a real Chromium.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { seriousFindings } from '../../testkit/accessibility.ts';
import { chromiumPath, openPage, startBrowser } from '../../testkit/browser.ts';
import { showPageOfFailures } from '../../testkit/page-of-failures.ts';
import { itInLongTests, testProxies } from '../../testkit/proxies.ts';
import { RealService } from '../../testkit/real-service.ts';
import { startUpstream, type Upstream } from '../../testkit/upstream.ts';

const [proxy] = testProxies().found;
const lacking = [
  ...(chromiumPath === null ? ['Chromium is not installed: apt-get install chromium'] : []),
  ...(proxy === undefined ? ['HAProxy is not installed'] : []),
];

describe.skipIf(lacking.length > 0)(['the panel’s page of sites', ...lacking].join(': skipped, '), () => {
  let upstream: Upstream;
  let service: RealService;
  let browser: Browser;
  let page: Page;
  showPageOfFailures(() => page);
  beforeAll(async () => {
    [service, browser, upstream] = await Promise.all([
      RealService.start({ bin: proxy?.bin ?? '' }),
      startBrowser(),
      startUpstream('shop'),
    ]);
    const servers = [{ address: '127.0.0.1', port: upstream.port, options: { check: false } }];
    await service.call('PUT', '/api/sites/shop.example', { body: { servers } });
    page = await openPage(browser, {
      viewport: { width: 1280, height: 900 },
      colorScheme: 'light',
      reducedMotion: 'reduce',
    });
    await page.goto(`http://127.0.0.1:${service.apiPort}/sites`);
    await page.getByLabel('API key').fill(service.key);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Sites', level: 1 }).waitFor();
  });
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
    await upstream?.stop();
  });

  const dialog = () => page.getByRole('dialog');
  const card = (domain: string) => page.getByRole('region', { name: domain, exact: true });
  const save = async (name: string): Promise<void> => {
    expect(await seriousFindings(page, { dialogOnly: true })).toEqual([]);
    await dialog().getByRole('button', { name, exact: true }).click();
    await dialog().waitFor({ state: 'hidden' });
  };
  const edit = (domain: string) => page.getByRole('button', { name: `Edit ${domain}`, exact: true }).click();
  const stored = async (domain: string) => (await service.call('GET', `/api/sites/${domain}`)).body;
  const visit = (host: string) => service.visit('127.0.0.1', { host });

  it('says that TLS is off, and on the page of certificates how to switch it on', async () => {
    await card('shop.example').getByRole('link', { name: 'TLS is off' }).click();
    await page.getByText(/set it, such as to any:443, restart the service, and reload HAProxy/).waitFor();
    await page.goBack();
    await edit('shop.example');
    await dialog().getByRole('button', { name: 'Cancel' }).click();
  });

  it('gives a site names and a canonical one', async () => {
    await edit('shop.example');
    await dialog().getByLabel('Further names').fill('*.com');
    await dialog().getByText('would cover a whole top-level domain').waitFor();
    expect(await dialog().getByRole('button', { name: 'Save changes' }).isDisabled()).toBe(true);
    await dialog().getByLabel('Further names').fill('www.shop.example\n*.shop.example');
    await dialog().getByLabel('Canonical name').selectOption('www.shop.example');
    await save('Save changes');
    await card('shop.example').getByText('Other names are redirected to www.shop.example.').waitFor();
    expect(await stored('shop.example')).toMatchObject({
      names: ['www.shop.example', '*.shop.example'],
      canonical: 'www.shop.example',
      servers: [{ port: upstream.port, options: { check: false } }],
    });
    expect([await visit('shop.example'), await visit('any.shop.example')]).toEqual([301, 200]);
  });

  it('disables a site and enables it again', async () => {
    await edit('shop.example');
    await dialog().getByLabel('Enabled').uncheck();
    await save('Save changes');
    await card('shop.example').getByText('Disabled: visitors get 404').waitFor();
    expect(await visit('www.shop.example')).toBe(404);
    expect(await seriousFindings(page)).toEqual([]);
    await edit('shop.example');
    await dialog().getByLabel('Enabled').check();
    await save('Save changes');
    await card('shop.example').getByText('Disabled: visitors get 404').waitFor({ state: 'hidden' });
    expect(await visit('www.shop.example')).toBe(200);
  });

  itInLongTests('adds a site that redirects, and restores it with Undo', async () => {
    await page.getByRole('button', { name: 'Add site', exact: true }).click();
    await dialog().getByLabel('Domain', { exact: true }).fill('old.example');
    await dialog().getByLabel('Requests are').selectOption('redirect');
    await dialog().getByLabel('Redirect to').fill('https://shop.example');
    await dialog().getByText('redirect to www.shop.example instead').waitFor();
    await dialog().getByLabel('Redirect to').fill('https://www.shop.example');
    await dialog().getByLabel('Status').selectOption('308');
    await save('Add site');
    await card('old.example').getByText('Redirects to https://www.shop.example (308, path appended)').waitFor();
    const site = { servers: [], redirect: { to: 'https://www.shop.example', status: 308, keep_path: true } };
    expect(await stored('old.example')).toMatchObject(site);
    expect(await visit('old.example')).toBe(308);
    await page.getByRole('button', { name: 'Remove old.example', exact: true }).click();
    await dialog().getByRole('button', { name: 'Remove site' }).click();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('old.example restored').waitFor();
    expect(await stored('old.example')).toMatchObject(site);
  });
});
