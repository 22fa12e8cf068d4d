// Certificates in the panel, in a real Chromium.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { seriousFindingsInLongTests } from '../testkit/accessibility.ts';
import { hasPebble, Pebble } from '../testkit/acme/pebble.ts';
import { chromiumPath, openPage, startBrowser } from '../testkit/browser.ts';
import { patienceMs } from '../testkit/conditions.ts';
import { freePort } from '../testkit/free-port.ts';
import { showPageOfFailures } from '../testkit/page-of-failures.ts';
import { itInLongTests, longTests, testProxies } from '../testkit/proxies.ts';
import { RealService } from '../testkit/real-service.ts';
import { servedSha1 } from '../testkit/tls/made-certificate.ts';
import { selfSigned } from '../testkit/tls/uploads.ts';

const [proxy] = testProxies().found;
const ordersCertificates = longTests && hasPebble;
const lacking = [
  ...(chromiumPath === null ? ['Chromium is not installed: apt-get install chromium'] : []),
  ...(proxy === undefined ? ['HAProxy is not installed'] : []),
];

describe.skipIf(lacking.length > 0)(['the panel’s page of certificates', ...lacking].join(': skipped, '), () => {
  let port: number;
  let service: RealService;
  let browser: Browser;
  let page: Page;
  let pebble: Pebble | null = null;
  const base = () => `http://127.0.0.1:${service.apiPort}`;
  showPageOfFailures(() => page);
  beforeAll(async () => {
    port = await freePort();
    const httpPort = await freePort();
    if (ordersCertificates) pebble = await Pebble.start({ httpPort, refusedDomains: ['refused.example'] });
    const environment = {
      PROXY_MANAGER_HTTPS_BIND: `127.0.0.1:${port}`,
      ...(await pebble?.settings()),
    };
    [service, browser] = await Promise.all([
      RealService.start({ bin: proxy?.bin ?? '', environment, proxyPort: httpPort }),
      startBrowser(),
    ]);
    const servers = [{ address: '127.0.0.1', port: 9, options: { check: false } }];
    await service.call('PUT', '/api/sites/shop.example', { body: { servers } });
    page = await openPage(browser, {
      viewport: { width: 1280, height: 900 },
      colorScheme: 'light',
      reducedMotion: 'reduce',
    });
    await page.goto(`${base()}/certificates`);
    await page.getByLabel('API key').fill(service.key);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Certificates', level: 1 }).waitFor();
  });
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
    await pebble?.stop();
  });

  const dialog = () => page.getByRole('dialog');
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const submit = async (name: string): Promise<void> => {
    expect(await seriousFindingsInLongTests(page, { dialogOnly: true })).toEqual([]);
    await dialog().getByRole('button', { name, exact: true }).click();
    await dialog().waitFor({ state: 'hidden' });
  };
  const served = () => servedSha1(port, 'shop.example');

  it('uploads a certificate and its key from files, and shows who serves it', async () => {
    const before = await served();
    const { certificate, privateKey } = selfSigned(['shop.example', '*.shop.example']);
    await button('Upload certificate').click();
    const [first, second] = await page.locator('input[type=file]').all();
    const file = (name: string, text: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(text) });
    await first!.setInputFiles(file('fullchain.pem', certificate));
    await second!.setInputFiles(file('privkey.pem', privateKey));
    await submit('Upload certificate');
    const row = page.getByRole('row', { name: /shop\.example/ });
    await row.getByText('Served', { exact: true }).waitFor();
    await row.getByText(`Worker ${await service.workerPid()} holds it`).waitFor();
    expect(await served()).not.toBe(before);
    expect(await seriousFindingsInLongTests(page)).toEqual([]);
    expect(await page.content()).not.toContain('PRIVATE KEY');
  });

  itInLongTests('shows at a site what its clients get', async () => {
    await page.getByRole('navigation').locator('a[href="/sites"]').click();
    const lock = page.getByRole('link', { name: /^Certificate served, expires in/ });
    await lock.waitFor();
    expect(await seriousFindingsInLongTests(page)).toEqual([]);
    await lock.click();
    await page.getByRole('heading', { name: 'Certificates', level: 1 }).waitFor();
  });

  itInLongTests('redirects a site to https, and keeps that over a removal with Undo', async () => {
    await page.getByRole('navigation').locator('a[href="/sites"]').click();
    await button('TLS settings of shop.example').click();
    await dialog().getByLabel('Redirect plain HTTP to https').check();
    await dialog().getByLabel('HSTS', { exact: true }).selectOption('5 minutes, to try it');
    await submit('Save TLS settings');
    const words = page.getByText('In force: redirect to https, HSTS for 5 minutes', { exact: true });
    await words.last().waitFor();
    expect(await seriousFindingsInLongTests(page)).toEqual([]);
    expect(await service.visit('127.0.0.1', { host: 'shop.example' })).toBe(301);
    await button('Remove shop.example').click();
    await submit('Remove site');
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('shop.example restored').waitFor();
    await page
      .getByRole('region', { name: 'shop.example' })
      .getByText(/HSTS for 5 minutes/)
      .waitFor();
    // It begins again once HAProxy serves the certificate.
    await expect.poll(() => service.visit('127.0.0.1', { host: 'shop.example' }), { timeout: patienceMs }).toBe(301);
    await page.getByRole('navigation').locator('a[href="/certificates"]').click();
  });

  // In parts: orders.test.tsx of the page.
  if (longTests)
    it.skipIf(!hasPebble)('orders certificates, and shows each in the words of the authority', async () => {
      const order = async (names: string): Promise<void> => {
        await button('Order certificate').click();
        await dialog().getByLabel('Names').fill(names);
        await submit('Order certificate');
      };
      const orders = page.getByRole('table', { name: 'Orders' });
      await order('mail.example, www.mail.example');
      const issued = orders.getByRole('row', { name: /mail\.example/ });
      await issued.getByText('Issued', { exact: true }).waitFor();
      await issued.getByText(/, because of its age$/).waitFor();
      await page.getByText(/^Account: https:|Account: https:/).waitFor();
      await page.getByRole('table', { name: 'Certificates' }).getByText('www.mail.example').waitFor();
      await order('refused.example');
      const refused = orders.getByRole('row', { name: /refused\.example/ });
      await refused.getByText('Needs attention').waitFor();
      await refused
        .getByText(/refused\.example/)
        .first()
        .waitFor();
      await refused.getByText(/does not issue certificates for this name/).waitFor();
      expect(await seriousFindingsInLongTests(page)).toEqual([]);
      await button('Renew mail.example and 1 more').click();
      await page.getByText('Order of mail.example and 1 more is due').waitFor();
      await button('Show the last orders of mail.example and 1 more').click();
      await button('Hide the last orders of mail.example and 1 more').waitFor();
      await expect
        .poll(() => issued.getByText(/: The certificate is stored$/).count(), { timeout: patienceMs })
        .toBe(2);
      await button('Stop renewal of refused.example').click();
      await submit('Stop renewal');
      await refused.waitFor({ state: 'detached' });
      const { body } = await service.call('GET', '/api/acme');
      expect(body).toMatchObject({ total: 1, failing: 0 });
      const [{ id }] = body['next'];
      await service.call('DELETE', `/api/certificates/${id}`);
    });

  itInLongTests(
    'keeps the form of a replacement that is rejected, and removes a certificate with the sites named',
    async () => {
      const before = await served();
      await button('Replace shop.example and 1 more').click();
      const other = selfSigned(['other.example']);
      await dialog().getByLabel('Certificate', { exact: true }).fill(other.certificate);
      await dialog()
        .getByLabel('Private key', { exact: true })
        .fill(selfSigned(['x.example']).privateKey);
      await dialog().getByRole('button', { name: 'Replace certificate' }).click();
      await dialog()
        .getByText(/belongs to none of the certificates/)
        .waitFor();
      await dialog().getByLabel('Private key', { exact: true }).fill(other.privateKey);
      await dialog().getByRole('button', { name: 'Replace certificate' }).click();
      await dialog()
        .getByText(/would lose its certificate/)
        .waitFor();
      expect(await seriousFindingsInLongTests(page, { dialogOnly: true })).toEqual([]);
      await dialog().getByRole('button', { name: 'Cancel' }).click();
      expect(await served()).toBe(before);
      await button('Remove shop.example and 1 more').click();
      await dialog()
        .getByText(/1 site uses it: shop\.example/)
        .waitFor();
      await submit('Remove certificate');
      await page.getByText('No matches').or(page.getByText('No certificates yet')).waitFor();
      expect(await served()).not.toBe(before);
    },
  );
});
