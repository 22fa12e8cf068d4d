// What an operator on call does, in a real Chromium with the real service and HAProxy.
import { kill } from 'node:process';
import type { Browser, Locator, Page, Request, Route } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { panelPages } from '../src/http/panel-pages.ts';
import { seriousFindings } from '../testkit/accessibility.ts';
import { chromiumPath, openPage, startBrowser } from '../testkit/browser.ts';
import { eventually } from '../testkit/conditions.ts';
import { showPageOfFailures } from '../testkit/page-of-failures.ts';
import { itInLongTests, longTests, sampled, testProxies } from '../testkit/proxies.ts';
import { RealService } from '../testkit/real-service.ts';
import { suspend } from '../testkit/suspend.ts';
import { withoutHits } from '../testkit/without-hits.ts';

const listed = longTests ? 100_000 : 8_000;
const somePages = ['/', '/blocked', '/certificates'];
const shownPages = sampled(panelPages, (path) => somePages.includes(path));
const good = listed - 3;
/** Of boxes to select, the labels of those that a finger of 44 pixels around their middle would miss. */
const outOfReach = `[...(document.querySelector('[role=dialog]') ?? document)
  .querySelectorAll(':is(.mantine-Checkbox-input, .mantine-Radio-radio, .mantine-Switch-input)')]
  .filter((one) => {
    one.scrollIntoView({ block: 'center' });
    const { x, y, width, height } = one.getBoundingClientRect();
    return [-21, 21].some((beside) => {
      const hit = document.elementFromPoint(x + width / 2, y + height / 2 + beside);
      return hit !== one && hit?.closest('label')?.control !== one;
    });
  })
  .map((one) => one.labels[0]?.textContent ?? one.ariaLabel)`;
const nth = (at: number): string => `10.${at >> 16}.${(at >> 8) & 255}.${at & 255}`;
const shown = (count: number): string => count.toLocaleString('en');

const [proxy] = testProxies().found;
const lacking = [
  ...(chromiumPath === null ? ['Chromium is not installed: apt-get install chromium'] : []),
  ...(proxy === undefined ? ['HAProxy is not installed'] : []),
];

describe.skipIf(lacking.length > 0)(['the panel', ...lacking].join(': skipped, '), () => {
  let service: RealService;
  let browser: Browser;
  let page: Page;
  /** Errors, and requests to other origins. */
  const complaints: string[] = [];
  const foreignRequests: string[] = [];
  let expectsFailures = false;

  showPageOfFailures(() => page);
  beforeAll(async () => {
    [service, browser] = await Promise.all([RealService.start({ bin: proxy?.bin ?? '' }), startBrowser()]);
    await service.healthy();
    page = await openPage(browser, {
      viewport: { width: 1280, height: 800 },
      colorScheme: 'light',
      reducedMotion: 'reduce',
    });
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('console', (message) => {
      const text = message.text();
      // The page itself reports failed requests.
      if (message.type() === 'error' && !text.startsWith('Failed to load resource')) complaints.push(text);
    });
    page.on('request', (request) => {
      const { protocol, origin } = new URL(request.url());
      if (!['data:', 'blob:'].includes(protocol) && origin !== base()) foreignRequests.push(request.url());
    });
    await page.goto(base());
  });
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
  });
  afterEach(() => {
    // The policy blocks nothing of the page, and there are no requests to other origins.
    expect(expectsFailures ? complaints.filter((text) => /policy/i.test(text)) : complaints).toEqual([]);
    expect(foreignRequests).toEqual([]);
    complaints.length = 0;
  });

  const base = (): string => `http://127.0.0.1:${service.apiPort}`;
  const goTo = (label: string) => page.getByRole('navigation').getByRole('link', { name: label, exact: true }).click();
  const openByPalette = async (text: string): Promise<void> => {
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog', { name: 'Search or run a command' }).getByRole('textbox').fill(text);
    await page.keyboard.press('Enter');
  };
  const says = (text: string | RegExp) => page.getByText(text).first().waitFor();
  const enforcement = () => page.getByTestId('enforcement').innerText();
  const button = (name: string) => page.getByRole('button', { name, exact: true });

  it('requires a key, and reports an invalid one', async () => {
    await page.getByLabel('API key').fill('pm_wrong');
    await button('Sign in').click();
    await says('This key is not valid');
    expect(await page.getByRole('navigation').count()).toBe(0);
    await page.getByLabel('API key').fill(service.key);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Overview', exact: true }).waitFor();
    await eventually('blocking is shown as active', async () => (await enforcement()).includes('Blocking is active'));
  });

  itInLongTests('stores the key neither in the URL nor in a cookie nor in browser storage', async () => {
    expect(page.url()).not.toContain(service.key);
    for (const storage of ['localStorage', 'sessionStorage'])
      expect(await page.evaluate(`JSON.stringify(${storage})`)).not.toContain(service.key);
    expect(await page.evaluate('document.cookie')).toBe('');
    await page.reload();
    await page.getByRole('heading', { name: 'Overview', exact: true }).waitFor();
    const other = await openPage(browser);
    await other.goto(`${base()}/keys`);
    await other.getByLabel('API key').waitFor();
    await other.close();
  });

  it('blocks an address with 403 on every worker, and restores it unchanged after Undo', async () => {
    expect(await service.visit('127.0.0.2')).not.toBe(403);
    await goTo('Blocked addresses');
    await says('No blocked addresses yet');
    await button('Block address').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Address or network').fill('127.0.0.2');
    await dialog.getByLabel('Reason').fill('tested');
    await dialog.getByText('4 hours').click();
    await dialog.getByRole('button', { name: 'Block address', exact: true }).click();
    await says('127.0.0.2 is blocked');
    // A slow machine's worker may need longer than the answer waits for it.
    await says(/Active in every worker\.|Saved, but not verified in every worker/);
    await service.healthy();
    expect(await service.visit('127.0.0.2')).toBe(403);
    const entry = async () =>
      withoutHits((await service.call('GET', '/api/blocked-ips/127.0.0.2')).text) as Record<string, unknown>;
    const { expires_at: end } = await entry();

    // Editing the reason does not change the expiry.
    await page.getByRole('row', { name: /127\.0\.0\.2/ }).click();
    await dialog.getByRole('button', { name: 'Edit entry', exact: true }).click();
    await dialog.getByLabel('Reason').fill('tested twice');
    await dialog.getByRole('button', { name: 'Save changes', exact: true }).click();
    await dialog.waitFor({ state: 'hidden' });
    const before = await entry();
    expect(before).toMatchObject({ reason: 'tested twice', expires_at: end });

    await page.getByRole('row', { name: /127\.0\.0\.2/ }).click();
    await page
      .getByRole('dialog')
      .getByText(/^Blocked on worker \d+/)
      .waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Unblock', exact: true }).click();
    await says('127.0.0.2 is no longer blocked');
    expect(await service.visit('127.0.0.2')).not.toBe(403);
    await button('Undo').click();
    await says('127.0.0.2 blocked again');
    expect(await service.visit('127.0.0.2')).toBe(403);
    const after = await entry();
    expect({ ...after, blocked_at: '', workers: [] }).toEqual({ ...before, blocked_at: '', workers: [] });
  });

  it('blocks with Enter right after the address, and shows an existing entry first', async () => {
    const dialog = page.getByRole('dialog');
    await button('Block address').click();
    await dialog.getByLabel('Address or network').fill('127.0.0.44');
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'hidden' });
    expect((await service.call('GET', '/api/blocked-ips/127.0.0.44')).body).toMatchObject({ expires_at: null });
    await button('Block address').click();
    await dialog.getByLabel('Address or network').fill('127.0.0.44');
    await page.keyboard.press('Enter');
    await dialog.getByRole('button', { name: 'Extend block', exact: true }).waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await service.call('DELETE', '/api/blocked-ips/127.0.0.44');
  });

  itInLongTests('extends an existing block, replaces it only on request, and undoes both', async () => {
    const ip = '203.0.113.241';
    await service.block(ip, { reason: 'court order', blocked_by: 'legal' });
    const entry = async () => (await service.call('GET', `/api/blocked-ips/${ip}`)).body;
    const dialog = page.getByRole('dialog');
    const again = async (): Promise<void> => {
      await button('Block address').click();
      await dialog.getByLabel('Address or network').fill(ip);
      await dialog.getByText('Permanent. Blocked by: legal. Reason: court order').waitFor();
      await dialog.getByText('1 hour').click();
    };
    const before = { reason: 'court order', blocked_by: 'legal', expires_at: null };
    await again();
    await dialog.getByRole('button', { name: 'Extend block', exact: true }).click();
    await dialog.waitFor({ state: 'hidden' });
    expect(await entry()).toMatchObject(before);

    await again();
    await dialog.getByLabel('Replace', { exact: true }).check();
    await dialog.getByRole('button', { name: 'Replace block', exact: true }).click();
    await dialog.waitFor({ state: 'hidden' });
    const { name } = (await service.call('GET', '/api/session')).body;
    expect(await entry()).toMatchObject({ reason: null, blocked_by: name, expires_at: expect.any(String) });
    await button('Undo').last().click();
    await says(`Previous block of ${ip} restored`);
    expect(await entry()).toMatchObject(before);
    await service.unblock(ip);
    // Dismisses messages, which cover the list.
    await page.evaluate(
      `for (const one of document.querySelectorAll('.mantine-Notification-closeButton')) one.click()`,
    );
  });

  it('warns before blocking the own address, trusted addresses or a large network', async () => {
    await service.call('PUT', '/api/trusted-ips/127.0.0.9', { body: {} });
    await button('Block address').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Address or network').fill('127.0.0.1/8');
    await dialog.getByRole('button', { name: 'Use 127.0.0.0/8' }).click();
    await dialog.getByText('127.0.0.0/8 contains your own address (127.0.0.1).').waitFor();
    await dialog.getByText('127.0.0.0/8 contains 16,777,216 addresses.').waitFor();
    await dialog.getByText('127.0.0.0/8 contains trusted addresses, which stay allowed: 127.0.0.9.').waitFor();
    expect(await dialog.getByRole('button', { name: 'Block network', exact: true }).isDisabled()).toBe(true);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
  });

  itInLongTests('saves a confirmed block of a trusted address, and reports that it has no effect', async () => {
    await button('Block address').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Address or network').fill('127.0.0.9');
    await dialog.getByLabel('Block anyway').check();
    await dialog.getByRole('button', { name: 'Block address', exact: true }).click();
    const message = page.getByRole('alert').filter({ hasText: '127.0.0.9' });
    await message.getByText('127.0.0.9 is saved, but not blocked').waitFor();
    expect(await message.innerText()).not.toMatch(/is blocked/);
    expect((await service.call('GET', '/api/blocked-ips/127.0.0.9')).status).toBe(200);
    expect(await service.visit('127.0.0.9')).not.toBe(403);
    await service.unblock('127.0.0.9');
  });

  itInLongTests('reports an Undo that fails, and why', async () => {
    await service.block('127.0.0.3');
    const row = page.getByRole('row', { name: /127\.0\.0\.3/ });
    await row.getByRole('button', { name: 'Unblock 127.0.0.3' }).click();
    await says('127.0.0.3 is no longer blocked');
    await service.call('PUT', '/api/trusted-ips/127.0.0.0%2F30', { body: {} });
    await button('Undo').last().click();
    await says('127.0.0.3 not blocked again');
    await says(/covered by the trusted 127\.0\.0\.0\/30/);
    expect(await page.getByText('127.0.0.3 blocked again').count()).toBe(0);
    expect((await service.call('GET', '/api/blocked-ips/127.0.0.3')).status).toBe(404);
    await service.call('DELETE', '/api/trusted-ips/127.0.0.0%2F30');
  });

  itInLongTests('restores the last state of an unblocked entry, even if the list was older', async () => {
    await service.block('127.0.0.3', { reason: 'first' });
    const row = page.getByRole('row', { name: /127\.0\.0\.3/ });
    await row.waitFor();
    const held: Route[] = [];
    await page.route(/\/api\/blocked-ips\?/, (route) => void held.push(route));
    await service.block('127.0.0.3', { reason: 'second' });
    await row.getByRole('button', { name: 'Unblock 127.0.0.3' }).click();
    await says('127.0.0.3 is no longer blocked');
    await button('Undo').last().click();
    await says('127.0.0.3 blocked again');
    await page.unroute(/\/api\/blocked-ips\?/);
    for (const route of held) await route.continue().catch(() => undefined);
    expect((await service.call('GET', '/api/blocked-ips/127.0.0.3')).body).toMatchObject({ reason: 'second' });
    await service.unblock('127.0.0.3');
  });

  it('imports a long list, and shows its three invalid lines first', async () => {
    const lines = Array.from({ length: listed }, (_, at) => nth(at));
    lines[9] = '10.0.0.300';
    lines[500] = 'not-an-address';
    lines[listed - 1] = '10.1.2.3/8';
    await button('Import list').click();
    const dialog = page.getByRole('dialog');
    const buffer = Buffer.from(`${lines.join('\n')}\n`);
    await page.setInputFiles('input[type=file]', { name: 'list.txt', mimeType: 'text/plain', buffer });
    await dialog.getByText('3 invalid lines will be skipped').waitFor();
    const bad = dialog.getByRole('table', { name: 'Invalid lines' });
    expect(await bad.getByRole('row').count()).toBe(4);
    for (const text of ['10', '501', shown(listed), 'did you mean 10.0.0.0/8?'])
      expect(await bad.innerText()).toContain(text);
    expect((await service.call('GET', '/api/blocked-ips')).body['total']).toBe(1);
    await dialog.getByRole('button', { name: `Import ${shown(good)} entries` }).click();
    await dialog.getByRole('progressbar').waitFor();
    await dialog.getByText(`${shown(good)} of ${shown(good)} entries: ${shown(good)} newly blocked`).waitFor();
    // A slow machine's worker may need longer than the answer waits for it.
    await dialog.getByText(/Active in every worker\.|Not verified in every worker yet;/).waitFor();
    await service.healthy();
    await dialog.getByRole('button', { name: 'Close', exact: true }).last().click();
    await says(`${shown(good + 1)} blocked`);
    expect((await service.call('GET', '/api/blocked-ips')).body['total']).toBe(good + 1);
  });

  it('jumps to far rows by scroll bar and keys with one request each', async () => {
    const grid = page.getByRole('grid');
    const list: string[] = [];
    const note = (request: Request): void => {
      if (request.url().includes('/api/blocked-ips?')) list.push(request.url());
    };
    page.on('request', note);
    await grid.focus();
    await page.keyboard.press('End');
    await page.getByRole('row', { name: /127\.0\.0\.2/ }).waitFor();
    await grid.evaluate((element) => {
      element.scrollTop = element.scrollHeight / 2;
    });
    const at = listed / 2 + 5;
    const middle = page.getByRole('row', { name: `Select ${nth(at)} ` });
    await middle.waitFor();
    // Two invalid lines come before it. The header is row 1.
    expect(await middle.getAttribute('aria-rowindex')).toBe(String(at - 2 + 2));
    // Only visible rows are rendered.
    expect(await page.getByRole('row').count()).toBeLessThan(60);
    await page.keyboard.press('Home');
    await page.getByRole('row', { name: /10\.0\.0\.0 / }).waitFor();
    page.off('request', note);
    // Far more pages lie in between; a few are refreshed meanwhile.
    expect(list.length).toBeLessThan(30);
  });

  it('searches addresses, or reasons and who blocked it, and shows which', async () => {
    await page.keyboard.press('/');
    await page.keyboard.type(nth(listed - 2));
    await says('Searching addresses: entries that start with this text or cover it');
    await says('1 found');
    await page.keyboard.press('Escape');
    await says(`${shown(good + 1)} blocked`);
    await page.keyboard.type('TESTed');
    await says('Searching reasons and “Blocked by”');
    await says('1 found in reasons and “Blocked by”');
    await page.getByRole('row', { name: /127\.0\.0\.2/ }).waitFor();
    // On a busy machine the answer for a part of the word is shown first.
    await page.getByRole('grid').locator('mark').getByText('tested', { exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.type('no such reason');
    await says('No matches for “no such reason”');
    await page.keyboard.press('Escape');
    await says(`${shown(good + 1)} blocked`);
    // An address may also be part of a reason.
    await page.keyboard.type('192.0.2.99');
    await button('Search reasons and “Blocked by” instead').click();
    await says('No matches for “192.0.2.99”');
    await page.keyboard.press('Escape');
    await says(`${shown(good + 1)} blocked`);
  });

  it('unblocks selected entries, with one Undo', async () => {
    await page.getByRole('grid').focus();
    await page.keyboard.press('Home');
    await page.keyboard.press('Space');
    for (let times = 0; times < 4; times += 1) await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Shift+Space');
    await says('5 selected');
    await button('Unblock 5 entries').click();
    await says('5 entries unblocked');
    await says(`${shown(good - 4)} blocked`);
    await button('Undo').last().click();
    await says(`${shown(good + 1)} blocked`);
  });

  itInLongTests('does not restore an entry that another client unblocked meanwhile', async () => {
    await page.getByRole('grid').focus();
    await page.keyboard.press('Home');
    await page.keyboard.press('Space');
    for (let times = 0; times < 2; times += 1) await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Shift+Space');
    await says('3 selected');
    await service.unblock('10.0.0.1');
    await button('Unblock 3 entries').click();
    await says('2 of 3 entries unblocked');
    await says('Not blocked before: 10.0.0.1.');
    await says(`${shown(good - 2)} blocked`);
    await button('Undo').last().click();
    await says('2 addresses blocked again');
    await says(`${shown(good)} blocked`);
    expect((await service.call('GET', '/api/blocked-ips/10.0.0.1')).status).toBe(404);
    await service.block('10.0.0.1');
    await says(`${shown(good + 1)} blocked`);
  });

  it('shows the verdict of the database and of HAProxy on an address', async () => {
    const palette = page.getByRole('dialog', { name: 'Search or run a command' });
    await page.keyboard.press('Control+k');
    await palette.getByRole('textbox').fill('10.0.1.7');
    await palette.getByText('10.0.1.7 is blocked.').waitFor();
    await palette.getByText('Verified in HAProxy.').waitFor();
    await palette.getByText('Unblock 10.0.1.7…').waitFor();
    expect(await seriousFindings(page, { dialogOnly: true })).toEqual([]);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: '10.0.1.7 is blocked' }).waitFor();
    await says('Verified in HAProxy.');
    await page.getByLabel('Address', { exact: true }).fill('127.0.0.9');
    await page.getByRole('heading', { name: '127.0.0.9 is trusted (never blocked)' }).waitFor();
    // The URL contains the address, so that it can be reloaded and shared.
    await page.waitForURL(/\/check\?ip=127\.0\.0\.9$/);
    await page.reload();
    await page.getByRole('heading', { name: '127.0.0.9 is trusted (never blocked)' }).waitFor();
  });

  it('keeps a search in the URL, and closes a dialog with Back', async () => {
    await goTo('Blocked addresses');
    await page.getByLabel('Search').fill('127.0.0.2');
    await page.waitForURL(/\/blocked\?q=127\.0\.0\.2$/);
    await says('1 found');
    await page.getByRole('row', { name: /127\.0\.0\.2/ }).click();
    await page.waitForURL(/entry=127\.0\.0\.2/);
    await page
      .getByRole('dialog')
      .getByText(/^Blocked on worker \d+/)
      .waitFor();
    await page.goBack();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await button('Block address').click();
    await page.getByRole('dialog').waitFor();
    await page.evaluate('history.back()');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    expect(await page.getByLabel('Search').inputValue()).toBe('127.0.0.2');
  });

  itInLongTests('hides the actions that a key does not allow', async () => {
    const { key } = (await service.call('POST', '/api/keys', { body: { name: 'watcher', scopes: ['read'] } })).body;
    const tab = await openPage(browser);
    await tab.goto(`${base()}/blocked`);
    await tab.getByLabel('API key').fill(key);
    await tab.keyboard.press('Enter');
    await tab.getByRole('row', { name: /10\.0\.0\.0 / }).waitFor();
    const links = await tab.getByRole('navigation').getByRole('link').allInnerTexts();
    expect(links).not.toContain('API keys');
    expect(links).not.toContain('Configuration');
    for (const name of ['Block address', 'Import list'])
      expect(await tab.getByRole('button', { name, exact: true }).count()).toBe(0);
    expect(await tab.getByRole('checkbox', { name: /^Select/ }).count()).toBe(0);
    await service.call('DELETE', '/api/keys/watcher');
    await tab.getByText('You were signed out').waitFor();
    await tab.close();
  });

  it('has no serious accessibility findings on any page in either theme', async () => {
    const themes = ['light', 'dark'] as const;
    let examined = 0;
    /** `npm test` examines each page in one of them. */
    const inBothThemes = async (what: string, dialogOnly = false): Promise<void> => {
      for (const colorScheme of longTests ? themes : [themes[examined % 2]!]) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor({ state: 'attached' });
        const coloursOnly = longTests && colorScheme === 'dark';
        const found = await seriousFindings(page, { coloursOnly, dialogOnly });
        expect({ what, colorScheme, found }).toEqual({ what, colorScheme, found: [] });
      }
      examined += 1;
    };
    // Rows have buttons of their own.
    await service.call('POST', '/api/keys', { body: { name: 'row' } });
    await service.call('PUT', '/api/webhooks/row', { body: { url: 'http://127.0.0.1:9/', enabled: false } });
    // A document for all pages: a load and the first run of axe in it take a second each.
    for (const path of shownPages) {
      const link = page.getByRole('navigation').locator(`a[href="${path}"]`);
      // One page is opened by the search field of the header only.
      if (path === '/check') await openByPalette('Check an address');
      else await link.click();
      const name = path === '/check' ? 'Check an address' : ((await link.innerText()).split('\n')[0] ?? '');
      await page.getByRole('heading', { name, exact: true, level: 1 }).waitFor();
      await page.locator('.mantine-Loader-root').first().waitFor({ state: 'detached' });
      await inBothThemes(path);
    }
    await service.call('DELETE', '/api/keys/row');
    await service.call('DELETE', '/api/webhooks/row');
    await page.goto(`${base()}/blocked`);
    await button('Block address').click();
    await page.getByRole('dialog').getByLabel('Address or network').fill('127.0.0.0/8');
    await page.getByText('Warning', { exact: true }).waitFor();
    await inBothThemes('the block dialog', true);
    await page.keyboard.press('Escape');
  });

  it('fits a phone without horizontal scrolling', async () => {
    await page.setViewportSize({ width: 320, height: 740 });
    const touch = await page.context().newCDPSession(page);
    try {
      await touch.send('Emulation.setTouchEmulationEnabled', { enabled: true });
      await service.call('PUT', '/api/trusted-ips/192.0.2.9', { body: { note: 'monitoring' } });
      await page.goto(base());
      const bar = page.getByRole('navigation', { name: 'Main pages' });
      await bar.waitFor();
      const targets = await Promise.all((await bar.locator('a, button').all()).map((one) => one.boundingBox()));
      expect(targets).toHaveLength(5);
      for (const target of targets)
        expect(Math.min(target?.width ?? 0, target?.height ?? 0)).toBeGreaterThanOrEqual(44);
      for (const path of shownPages) {
        if (path === '/check') await page.goto(`${base()}/check`);
        else {
          await bar.getByRole('button', { name: 'More' }).click();
          await page.getByRole('navigation', { name: 'Pages', exact: true }).locator(`a[href="${path}"]`).click();
          // The menu closes, also if the page was open already.
          await bar.getByRole('button', { name: 'More' }).waitFor();
        }
        await page.waitForURL((url) => url.pathname === path);
        await page.getByRole('heading', { level: 1 }).waitFor();
        await page.locator('.mantine-Loader-root').first().waitFor({ state: 'detached' });
        // In the header, or where the state of blocking takes its place, on the page.
        const titles = `[...document.querySelectorAll('h1, [data-alone]')].filter((one) => one.offsetWidth > 1).length`;
        expect([path, await page.evaluate(titles)]).toEqual([path, 1]);
        // A finger is 44 pixels wide; links in a text are as high as it.
        const small = `[...document.querySelectorAll('main :is(button, [data-row] a)')]
          .filter((one) => one.offsetHeight > 1 && one.offsetHeight < 44)
          .map((one) => one.textContent || one.ariaLabel)`;
        expect([path, await page.evaluate(small)]).toEqual([path, []]);
        if (path === '/trusted') {
          const card = page.getByRole('row').filter({ hasText: '192.0.2.9' });
          const heightOf = async (one: Locator) => (await one.boundingBox())?.height ?? 0;
          // Two lines, the first of which has buttons.
          expect(await heightOf(card)).toBeLessThan(44 + 2 * 20);
          await card.getByText('monitoring').waitFor();
        }
        expect([path, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([path, 320]);
      }
      await service.block('198.51.100.77');
      await page.goto(`${base()}/blocked?entry=198.51.100.77`);
      const drawer = page.getByRole('dialog', { name: '198.51.100.77' });
      await drawer.waitFor();
      // As a page of its own: over the bar, too.
      expect(await drawer.boundingBox()).toMatchObject({ x: 0, y: 0, width: 320, height: 740 });
      expect(await page.evaluate(`document.elementFromPoint(160, 730).closest('nav') === null`)).toBe(true);
      await page.keyboard.press('Escape');
      const block = await page.getByRole('button', { name: 'Block address', exact: true }).boundingBox();
      expect(Math.min(block?.width ?? 0, block?.height ?? 0)).toBeGreaterThanOrEqual(44);
      await page.getByRole('button', { name: 'Order: Address, ascending' }).click();
      await page.getByRole('menuitem', { name: 'Last hit' }).click();
      await page.getByRole('button', { name: 'Order: Last hit, descending' }).waitFor();
      await service.unblock('198.51.100.77');
      await page.goto(`${base()}/keys`);
      await page.getByRole('switch').waitFor();
      expect(await page.evaluate(outOfReach)).toEqual([]);
      await button('Create key').click();
      await page.getByRole('dialog').getByRole('radio').first().waitFor();
      expect(await page.evaluate(outOfReach)).toEqual([]);
    } finally {
      await touch.send('Emulation.setTouchEmulationEnabled', { enabled: false });
      await service.call('DELETE', '/api/trusted-ips/192.0.2.9');
      await page.setViewportSize({ width: 1280, height: 800 });
    }
  });

  it('shows a HAProxy that stops responding, and its recovery', async () => {
    await page.goto(base());
    await eventually('blocking is active', async () => (await enforcement()).includes('Blocking is active'));
    const { master } = await service.processes();
    await suspend(master.pid);
    try {
      await eventually(
        'it is no longer shown as active',
        async () => !(await enforcement()).includes('Blocking is active'),
      );
      const connection = page.getByRole('region', { name: 'Master socket' });
      // Which check fails depends on how many connections HAProxy still accepts.
      await eventually('its connection is not OK', async () => !/^OK$/m.test(await connection.innerText()));
      await page.getByRole('region', { name: 'Running map' }).getByText('Unknown').waitFor();
    } finally {
      kill(master.pid, 'SIGCONT');
    }
    await eventually('it is shown as active again', async () => (await enforcement()).includes('Blocking is active'));
  });

  it('reports a change without response, an unreachable service and the age of its data, and recovers', async () => {
    expectsFailures = true;
    await goTo('Blocked addresses');
    await button('Block address').click();
    const dialog = page.getByRole('dialog');
    const lookedUp = page.waitForResponse(/\/api\/blocked-ips\/127\.0\.0\.4$/);
    await dialog.getByLabel('Address or network').fill('127.0.0.4');
    await lookedUp;
    // The request is sent before the service dies.
    await suspend(service.pid);
    const sent = page.waitForRequest((request) => request.method() === 'POST');
    await dialog.getByRole('button', { name: 'Block address', exact: true }).click();
    await sent;
    service.kill('SIGKILL');
    await service.ended();
    await dialog.getByText('No response: the change may or may not have been made').waitFor();
    expect(await dialog.locator('[data-tone="good"]').count()).toBe(0);
    expect(await page.getByText('127.0.0.4 is blocked').count()).toBe(0);
    // Together with the banner, not seconds later.
    const state = await page.waitForFunction(
      `document.body.innerText.includes('The data shown is') && document.querySelector('[data-testid=enforcement]').textContent`,
    );
    expect(await state.jsonValue()).toContain('Unknown');
    await eventually('no part is shown as good', async () => (await page.locator('[data-tone="good"]').count()) === 0);
    await service.launch();
    await eventually('it is shown as active again', async () => (await enforcement()).includes('Blocking is active'));
    await page.getByText('The data shown is').waitFor({ state: 'hidden' });
    await dialog.getByRole('button', { name: 'Block address', exact: true }).click();
    await says('127.0.0.4 is blocked');
    expect(await service.visit('127.0.0.4')).toBe(403);
  });

  it('clears the session and its Undo offers at sign-out', async () => {
    // A message under the pointer does not close by itself.
    await page.getByRole('alert').first().hover();
    await button('Sign out').press('Enter');
    await page.getByLabel('API key').waitFor();
    await page.getByRole('alert').first().waitFor({ state: 'detached' });
    expect(await page.evaluate('JSON.stringify(sessionStorage)')).not.toContain(service.key);
    await page.reload();
    await page.getByLabel('API key').waitFor();
  });
});
