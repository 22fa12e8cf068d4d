import { readFile, writeFile } from 'node:fs/promises';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { seriousFindings } from '../../testkit/accessibility.ts';
import { type AttachedService, frontEnd, startAttached } from '../../testkit/attached-service.ts';
import { chromiumPath, openPage, startBrowser } from '../../testkit/browser.ts';
import { freePort } from '../../testkit/free-port.ts';
import { showPageOfFailures } from '../../testkit/page-of-failures.ts';
import { testProxies } from '../../testkit/proxies.ts';

const [proxy] = testProxies().found;
const lacking = [
  ...(chromiumPath === null ? ['Chromium is not installed: apt-get install chromium'] : []),
  ...(proxy === undefined ? ['HAProxy is not installed'] : []),
];

describe.skipIf(lacking.length > 0)(['the panel of an attached service', ...lacking].join(': skipped, '), () => {
  let attached: AttachedService;
  let browser: Browser;
  let page: Page;
  const requests: string[] = [];
  showPageOfFailures(() => page);
  beforeAll(async () => {
    [attached, browser] = await Promise.all([startAttached({ bin: proxy?.bin ?? '' }), startBrowser()]);
    await attached.service.healthy();
    page = await openPage(browser, {
      viewport: { width: 1280, height: 900 },
      colorScheme: 'light',
      reducedMotion: 'reduce',
    });
    page.on('request', (request) => requests.push(new URL(request.url()).pathname));
    await page.goto(`http://127.0.0.1:${attached.service.apiPort}/`);
    await page.getByLabel('API key').fill(attached.service.key);
    await page.keyboard.press('Enter');
    await page.getByRole('navigation').waitFor();
  });
  afterAll(async () => {
    await browser?.close();
    await attached?.service.stop();
  });
  const goTo = async (label: string): Promise<void> => {
    await page.getByRole('navigation').getByRole('link', { name: label, exact: true }).click();
    await page.getByRole('heading', { name: label, exact: true, level: 1 }).waitFor();
  };

  it('has no Sites in the menu, and explains in their place that they are not managed, and how to switch', async () => {
    const links = page.getByRole('navigation').getByRole('link');
    await links.filter({ hasText: 'Sites' }).waitFor({ state: 'detached' });
    await page.goto(`http://127.0.0.1:${attached.service.apiPort}/sites`);
    await page.getByText('Sites are not managed here').waitFor();
    await page.getByText('Switch to sites and templates').waitFor();
    expect(await page.getByRole('button', { name: 'Add site' }).count()).toBe(0);
    expect(await seriousFindings(page)).toEqual([]);
  });

  it('shows what each front end does, and files changed since the last load', async () => {
    const { service } = attached;
    await goTo('Configuration');
    const row = page.getByRole('table', { name: 'Front ends' }).getByRole('row');
    await row.filter({ hasText: 'web' }).getByText('Denied', { exact: true }).waitFor();
    const config = await readFile(service.paths.config, 'utf8');
    await writeFile(service.paths.config, `${config}${frontEnd('shop', await freePort())}`);
    await page.getByText('The files changed since HAProxy loaded them').waitFor();
    await attached.proxy.reload(service);
    await row.filter({ hasText: 'shop' }).getByText('Served: no rule').waitFor();
    await page.getByText('Not blocked in 1 of 2 front ends').first().waitFor();
    await page.getByRole('button', { name: 'Copy command' }).waitFor();
    await page.getByText('PROXY_MANAGER_OPEN_FRONT_ENDS=shop').waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await goTo('Overview');
    await page.getByRole('heading', { name: 'Not blocked in 1 of 2 front ends' }).waitFor();
    await page.getByText('Not blocked in shop: no rule').waitFor();
    await page.getByRole('link', { name: 'Show front ends' }).waitFor();
    await writeFile(service.paths.config, config);
    await attached.proxy.reload(service);
    await page.getByRole('region', { name: 'Health by part' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Show health' }).click();
    await page.getByRole('dialog').getByText('1 of 1 deny blocked addresses').waitFor();
    expect(await seriousFindings(page, { dialogOnly: true })).toEqual([]);
    await page.keyboard.press('Escape');
  });

  it('validates and reloads the files', async () => {
    await goTo('Configuration');
    await page.getByRole('button', { name: 'Validate configuration' }).click();
    await page.getByText(/^Configuration is valid/).waitFor();
    await page.getByRole('button', { name: 'Reload HAProxy…' }).click();
    await page.getByRole('button', { name: 'Reload HAProxy', exact: true }).click();
    await page.getByText('HAProxy reloaded with the same configuration').waitFor();
    await page.getByRole('tab', { name: 'History' }).click();
    await page
      .getByText(/requested by/i)
      .first()
      .waitFor();
  });

  it('shows that an upstream is not in force while the files lack the rules', async () => {
    const { service } = attached;
    const body = { networks: ['127.0.9.0/24'], header: 'x-forwarded-for' };
    expect((await service.call('PUT', '/api/upstreams/lb', { body })).status).toBe(201);
    await goTo('In front of HAProxy');
    await page.getByText('Upstreams are not in force').waitFor();
    await page.getByText('does not use the upstream map').waitFor();
    expect(await page.getByRole('row', { name: /^lb/ }).locator('[data-tone="good"]').count()).toBe(0);
    await page.getByRole('button', { name: 'Remove lb' }).click();
    await page.getByText('Your configuration keeps its rules.').waitFor();
    await page.getByRole('button', { name: 'Remove upstream' }).click();
    await page.getByText('No upstreams yet').waitFor();
    await service.healthy();
  });

  it('sends no requests for what attached mode lacks', () => {
    expect(requests.filter((path) => /^\/api\/(sites|config$|config\/(diff|backups))/.test(path))).toEqual([]);
  });
});
