// Sessions in a real Chromium with a profile on disk.
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath, openPage, startBrowserWithProfile } from '../testkit/browser.ts';
import { itInLongTests, testProxies } from '../testkit/proxies.ts';
import { RealService } from '../testkit/real-service.ts';

const [proxy] = testProxies().found;
const lacking = [
  ...(chromiumPath === null ? ['Chromium is not installed: apt-get install chromium'] : []),
  ...(proxy === undefined ? ['HAProxy is not installed'] : []),
];

describe.skipIf(lacking.length > 0)(['signing in to the panel', ...lacking].join(': skipped, '), () => {
  let service: RealService;
  let profile: string;
  let browser: BrowserContext;

  beforeAll(async () => {
    profile = await mkdtemp(join(tmpdir(), 'pm-profile-'));
    service = await RealService.start({ bin: proxy?.bin ?? '' });
    browser = await startBrowserWithProfile(profile);
  });
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
    await rm(profile, { recursive: true, force: true });
  });

  // A failed test must not leave the next one signed in.
  afterEach(async () => {
    for (const page of browser.pages()) await page.close();
  });

  const open = async (path = ''): Promise<Page> => {
    const page = await openPage(browser);
    await page.goto(`http://127.0.0.1:${service.apiPort}${path}`);
    return page;
  };
  const signIn = async (page: Page, key = service.key): Promise<void> => {
    await page.getByLabel('API key').fill(key);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  };
  const signedIn = (page: Page) => page.getByRole('heading', { name: 'Overview', exact: true }).waitFor();
  const sessionCount = async (): Promise<number> =>
    (await service.call('GET', '/api/audit?operation=sign_in')).body['items'].length;

  itInLongTests('names the character that makes a key invalid, without a request', async () => {
    const page = await open();
    await page.getByLabel('API key').fill('pm_\u043a\u043b\u044e\u0447');
    await page.getByText('it contains “\u043a” (U+043A)').waitFor();
    expect(await page.getByRole('button', { name: 'Sign in', exact: true }).isDisabled()).toBe(true);
  });

  it('keeps a session across a reload, shares it with a new tab, and ends it in all tabs at sign-out', async () => {
    const page = await open();
    await signIn(page);
    await signedIn(page);
    await page.reload();
    await signedIn(page);
    const other = await open();
    await signedIn(other);
    expect(await sessionCount()).toBe(1);
    await other.getByRole('button', { name: 'Sign out' }).click();
    await other.getByLabel('API key').waitFor();
    await page.getByText('You were signed out').waitFor();
  });

  it('ends a session at once when its key is revoked', async () => {
    const { key } = (await service.call('POST', '/api/keys', { body: { name: 'guest' } })).body;
    const page = await open();
    await signIn(page, key);
    await signedIn(page);
    await service.call('DELETE', '/api/keys/guest');
    await page.getByText('You were signed out').waitFor();
  });

  itInLongTests('offers to trust the own address, unless the service sees a shared one', async () => {
    const page = await open();
    await signIn(page);
    await signedIn(page);
    // From loopback no trust is offered, even after the trusted addresses are loaded.
    await settled(page);
    expect(await page.getByRole('dialog').count()).toBe(0);
    await page.getByRole('button', { name: 'Sign out' }).click();

    // Tests use only loopback, so the service's answer about the address is replaced.
    await page.route('**/api/session', async (route) => {
      const response = await route.fetch();
      const answer = response.headers()['content-type']?.includes('application/json') === true;
      const body = answer ? { ...(await response.json()), trustable_address: '203.0.113.9' } : {};
      await (answer ? route.fulfill({ response, json: body }) : route.fulfill({ response }));
    });
    const offer = page.getByRole('dialog', { name: 'Trust your address?' });
    await signIn(page);
    await offer.getByText('203.0.113.9').first().waitFor();
    await offer.getByRole('button', { name: 'Trust 203.0.113.9' }).click();
    await offer.waitFor({ state: 'hidden' });
    const [entry] = (await service.call('GET', '/api/trusted-ips')).body['items'];
    expect(entry).toMatchObject({ ip_address: '203.0.113.9', note: expect.stringContaining('_settings') });
    const hours = (Date.parse(entry.expires_at) - Date.parse(entry.added_at)) / 3_600_000;
    expect(hours).toBeCloseTo(8, 2);

    // Not offered while it is trusted, or after it was declined.
    const signInAgain = async (): Promise<void> => {
      await page.getByRole('button', { name: 'Sign out' }).click();
      await signIn(page);
      await signedIn(page);
    };
    await signInAgain();
    await settled(page);
    expect(await offer.count()).toBe(0);
    await service.call('DELETE', '/api/trusted-ips/203.0.113.9');
    await signInAgain();
    await offer.getByRole('button', { name: 'Don’t ask again' }).click();
    await signInAgain();
    await settled(page);
    expect(await offer.count()).toBe(0);
    expect((await service.call('GET', '/api/trusted-ips')).body['items']).toEqual([]);
    // A route that is handled while the page closes would fail unnoticed.
    await page.unrouteAll({ behavior: 'wait' });
  });

  itInLongTests('trusts an address temporarily and shows its expiry', async () => {
    const page = await open('/trusted');
    await signIn(page);
    await page.getByRole('button', { name: 'Trust address' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Address or network').fill('192.0.2.10');
    await dialog.getByLabel('Duration').selectOption('8 hours');
    await dialog.getByRole('button', { name: 'Trust address' }).click();
    await dialog.waitFor({ state: 'hidden' });
    const row = page.getByRole('row', { name: /192\.0\.2\.10/ });
    await row.getByText('in 8 h').waitFor();
    const before = (await service.call('GET', '/api/trusted-ips/192.0.2.10')).body;

    // Trusting it again without other values changes nothing.
    await page.getByRole('button', { name: 'Trust address' }).click();
    await dialog.getByLabel('Address or network').fill('192.0.2.10');
    await dialog.getByText('is already trusted').waitFor();
    await dialog.getByRole('button', { name: 'Trust address' }).click();
    await dialog.waitFor({ state: 'hidden' });
    expect((await service.call('GET', '/api/trusted-ips/192.0.2.10')).body).toEqual(before);

    // Editing the note keeps the expiry; Undo of a removal restores both.
    await row.getByRole('button', { name: 'Edit 192.0.2.10' }).click();
    await dialog.getByLabel('Note').fill('visitor');
    await dialog.getByRole('button', { name: 'Save changes', exact: true }).click();
    await row.getByText('visitor').waitFor();
    await row.getByRole('button', { name: 'Remove 192.0.2.10' }).click();
    const removed = page.getByRole('alert').filter({ hasText: '192.0.2.10 is no longer trusted' });
    await removed.getByRole('button', { name: 'Undo' }).click();
    await row.waitFor();
    const after = (await service.call('GET', '/api/trusted-ips/192.0.2.10')).body;
    expect(after).toMatchObject({ note: 'visitor', expires_at: before['expires_at'] });
    await service.call('DELETE', '/api/trusted-ips/192.0.2.10');
  });

  // The last one: it ends the browser.
  it('stores the key in no file of the browser', async () => {
    const page = await open();
    await signIn(page);
    await signedIn(page);
    await page.close();
    await browser.close();
    expect(await filesWith(service.key)).toEqual([]);
    // The search works: the browser writes session storage to disk, so a stored key would be found too.
    expect(await filesWith('pms_')).not.toEqual([]);
  });

  /** Opening the list of trusted addresses waits for the data of the trust offer. */
  async function settled(page: Page): Promise<void> {
    await page.getByRole('navigation').getByRole('link', { name: 'Trusted addresses', exact: true }).click();
    await page
      .getByText(/No trusted addresses yet|203\.0\.113\.9/)
      .first()
      .waitFor();
    await page.getByRole('navigation').getByRole('link', { name: 'Overview', exact: true }).click();
  }

  /** Chromium stores text with one or two bytes per character. */
  async function filesWith(text: string): Promise<string[]> {
    const forms = [Buffer.from(text, 'latin1'), Buffer.from(text, 'utf16le')];
    const entries = await readdir(profile, { recursive: true, withFileTypes: true });
    const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
    expect(paths.length).toBeGreaterThan(10);
    const found = await Promise.all(
      paths.map(async (path) => {
        const bytes = await readFile(path);
        return forms.some((form) => bytes.includes(form)) ? [path] : [];
      }),
    );
    return found.flat();
  }
});
