// The overview of a service that looks back on 90 days, in a real Chromium.
import type { Browser, Locator, Page, Request } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { seriousFindingsInLongTests } from '../testkit/accessibility.ts';
import { chromiumPath, openPage, startBrowser } from '../testkit/browser.ts';
import { eventually } from '../testkit/conditions.ts';
import { startSeeded } from '../testkit/insight/seeded-service.ts';
import { showPageOfFailures } from '../testkit/page-of-failures.ts';
import { itInLongTests, longTests, testProxies } from '../testkit/proxies.ts';
import type { RealService } from '../testkit/real-service.ts';

const entries = longTests ? 1_000_000 : 4_000;
// Counts are handed over from 3.0 on.
const proxy = testProxies().found.at(-1);
const lacking = [
  ...(chromiumPath === null ? ['Chromium is not installed: apt-get install chromium'] : []),
  ...(proxy === undefined ? ['HAProxy is not installed'] : []),
];

/** In the page: the part of a chart's width that is shaded near its top, between the lines of the scale. */
const shadedShare = `(canvas) => {
  const { width, height } = canvas;
  const { data } = canvas.getContext('2d').getImageData(0, 0, width, height);
  const longest = (y) => {
    let [run, most] = [0, 0];
    for (let x = 0; x < width; x += 1) {
      run = data[(y * width + x) * 4 + 3] === 0 ? 0 : run + 1;
      most = Math.max(most, run);
    }
    return most;
  };
  const rows = Array.from({ length: 12 }, (_, at) => longest(Math.round(20 * devicePixelRatio) + at));
  return Math.min(...rows) / width;
}`;

describe.skipIf(lacking.length > 0)(['the overview', ...lacking].join(': skipped, '), () => {
  let service: RealService;
  let browser: Browser;
  let page: Page;
  const complaints: string[] = [];

  showPageOfFailures(() => page);
  beforeAll(async () => {
    [service, browser] = await Promise.all([startSeeded({ bin: proxy?.bin ?? '', entries }), startBrowser()]);
    page = await openPage(browser, { viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' });
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('console', (message) => {
      // The page itself reports failed requests.
      const text = message.text();
      if (message.type() === 'error' && !text.startsWith('Failed to load resource')) complaints.push(text);
    });
    page.on('request', (request) => {
      const { protocol, origin } = new URL(request.url());
      if (!['data:', 'blob:'].includes(protocol) && origin !== base()) complaints.push(request.url());
    });
    await page.goto(base());
    await page.getByLabel('API key').fill(service.key);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Blocking is active' }).waitFor();
  });
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
  });
  afterEach(() => {
    expect(complaints.splice(0)).toEqual([]);
  });

  const base = (): string => `http://127.0.0.1:${service.apiPort}`;
  const region = (name: string | RegExp) => page.getByRole('region', { name });
  const chart = () => region(/^(Denied requests per minute|All requests|Blocked entries)/).first();
  const range = (label: string) => page.getByRole('radiogroup', { name: 'Range' }).getByText(label, { exact: true });

  it('shows the figures that the API has, and what is not known as a dash', async () => {
    const { body } = await service.call('GET', '/api/insight?range=24h');
    const figures = region('Figures of the last 24 h');
    await figures.getByText(body['entries'].toLocaleString('en'), { exact: true }).waitFor();
    await eventually('the figure of denied requests is that of the API', async () => {
      const text = await figures.getByRole('link', { name: /^Denied requests/ }).innerText();
      const now = (await service.call('GET', '/api/insight?range=24h')).body['denied'] as number;
      return text.includes(now.toLocaleString('en'));
    });
    // What the range before it was is known only for half of 90 days.
    await range('90 d').click();
    await page.waitForURL(/range=90d/);
    const denied = region('Figures of the last 90 d').getByRole('link', { name: /^Denied requests/ });
    await denied.waitFor();
    expect(await denied.innerText()).not.toMatch(/[+−]\s\d|×/);
  });

  it('shows gaps with their cause, imports and attacks, as a picture and as a table', async () => {
    await page.goto(`${base()}/?as=table&chart=denied`);
    const table = page.getByRole('region', { name: 'Denied requests per minute as a table' });
    const row = (text: string) => table.getByRole('row').filter({ hasText: text });
    const gap = row('Gap: the service was stopped');
    await gap.first().waitFor();
    // A step that is not known has a dash, never 0.
    expect(await gap.getByRole('cell', { name: '–', exact: true }).count()).toBeGreaterThan(3);
    expect(await table.getByRole('cell', { name: '0', exact: true }).count()).toBe(0);
    expect(await row('Attack: up to 5,400 denied requests a minute').count()).toBe(1);
    expect(await row(`Import: ${(entries / 5).toLocaleString('en')} blocked, 0 unblocked`).count()).toBe(1);
    await chart()
      .getByText(/^\d gaps?, hatched: .*\(the service was stopped\)/)
      .waitFor();
    await page.getByRole('button', { name: 'Show as chart' }).click();
    await chart().locator('canvas').waitFor();
    expect(page.url()).not.toContain('as=');
    // Seeded: 45 minutes of the last 24 hours.
    await chart()
      .getByText(/1 attack, shaded: /)
      .waitFor();
    await eventually('the time of the attack is shaded, and no other', async () => {
      const share = (await page.evaluate(`(${shadedShare})(document.querySelector('canvas'))`)) as number;
      return share > 0.02 && share < 0.05;
    });
  });

  itInLongTests('is never wider than its window, also before the chart is drawn for its new size', async () => {
    const tab = await openPage(browser, { viewport: { width: 1440, height: 900 } });
    await tab.addInitScript(`{
      const Observer = window.ResizeObserver;
      window.ResizeObserver = class extends Observer {
        constructor(seen) { super((...what) => { if (!window.holdsSizes) seen(...what); }); }
      };
    }`);
    await tab.goto(`${base()}/denied`);
    await tab.getByLabel('API key').fill(service.key);
    await tab.keyboard.press('Enter');
    await tab.locator('canvas').waitFor();
    await tab.evaluate('window.holdsSizes = true');
    await tab.setViewportSize({ width: 320, height: 640 });
    await eventually('the window has its new size', async () => (await tab.evaluate('innerWidth')) === 320);
    expect(await tab.evaluate('document.documentElement.scrollWidth')).toBe(320);
    // The controls of the chart have one row.
    const controls = [
      tab.getByRole('combobox', { name: 'Chart' }),
      tab.getByRole('button', { name: 'Compare with previous 24 h' }),
      tab.getByRole('button', { name: 'Show as table' }),
    ];
    const tops = await Promise.all(controls.map(async (control) => (await control.boundingBox())?.y ?? 0));
    expect(Math.max(...tops) - Math.min(...tops)).toBeLessThan(10);
    // What a step was is shown below the picture, not in it.
    await tab.evaluate('window.holdsSizes = false');
    await tab.setViewportSize({ width: 330, height: 640 });
    const canvas = tab.locator('canvas');
    await eventually('the chart has the new size', async () => ((await canvas.boundingBox())?.width ?? 0) < 330);
    // Over the canvas, which it covers.
    await tab.locator('.u-over').hover();
    const [picture, tip] = await Promise.all([canvas.boundingBox(), tab.locator('[aria-hidden] dl').boundingBox()]);
    expect(tip?.y).toBeGreaterThan((picture?.y ?? 0) + (picture?.height ?? 0));
    await tab.close();
  });

  itInLongTests('keeps the range and the chart in the URL, also for another browser', async () => {
    await page.getByRole('combobox', { name: 'Chart' }).selectOption('Denied by source');
    await range('7 d').click();
    await chart().getByText('scanners').waitFor();
    await page.getByRole('button', { name: 'Compare with previous 7 d' }).click();
    await chart().getByText('previous 7 d', { exact: true }).waitFor();
    await page.waitForURL((url) => url.search.includes('previous=shown'));
    await page.waitForURL((url) => url.search.includes('chart=sources') && url.search.includes('range=7d'));
    const url = page.url();
    await page.goto(`${base()}/?range=1y&chart=nothing`);
    // What is no range or chart is replaced by the default.
    await region('Figures of the last 24 h').waitFor();
    await region('Denied requests per minute, by site').getByText('blog.example').waitFor();
    await chart().getByText('Estimated: HAProxy counts 1 in 16 requests of each site.').waitFor();
    await page.goto(url);
    await region('Denied requests per minute, by source').getByText('previous 7 d', { exact: true }).waitFor();
    await region('Figures of the last 7 d').waitFor();
  });

  itInLongTests('leads from the loudest address to its entry, and blocks with the keyboard', async () => {
    await page.goto(base());
    const loudest = page.getByRole('table', { name: 'Loudest blocked' }).getByRole('row').nth(1);
    const address = await loudest.getByRole('link').innerText();
    await loudest.focus();
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.pathname === '/blocked' && url.searchParams.get('entry') === address);
    await page.goBack();
    await page.goBack();
  });

  itInLongTests('leads to the denied addresses, and to an attack and what denied it', async () => {
    await page.goto(`${base()}/?range=7d`);
    await region('Figures of the last 7 d')
      .getByRole('link', { name: /^Denied requests/ })
      .click();
    await page.waitForURL(/\/denied\?range=7d$/);
    const { body } = await service.call('GET', '/api/insight/knocking?range=7d&sort=last_hit&limit=51');
    const items = body['items'] as { ip_address: string; hits: number }[];
    const addresses = page.getByRole('table', { name: 'Denied addresses' }).locator('[data-row]');
    await page.getByRole('radiogroup', { name: 'Order' }).getByText('Last denied').click();
    await page.waitForURL(/sort=last_hit/);
    await addresses
      .first()
      .filter({ hasText: items[0]?.ip_address ?? '' })
      .waitFor();
    expect(await addresses.count()).toBe(50);
    await page.getByRole('button', { name: 'Load more addresses' }).click();
    await addresses
      .nth(50)
      .filter({ hasText: items[50]?.hits.toLocaleString('en') ?? '' })
      .waitFor();

    const attacks = page.getByRole('table', { name: 'Attacks' });
    await attacks.getByRole('row', { name: /45 min 5,400 \d+ 190,000 shop\.example/ }).focus();
    await page.keyboard.press('Enter');
    const attack = page.getByRole('dialog', { name: /^Attack of / });
    await attack.getByRole('row', { name: 'shop.example 79 %' }).waitFor();
    await page.waitForURL(/attack=1/);
    expect(await seriousFindingsInLongTests(page, { dialogOnly: true })).toEqual([]);
    await attack.getByRole('button', { name: 'Show as table' }).click();
    expect(
      await attack
        .getByRole('region', { name: /as a table$/ })
        .getByRole('row')
        .count(),
    ).toBeGreaterThan(40);
    await page.keyboard.press('Escape');
    await attack.waitFor({ state: 'detached' });
    await page.goto(`${base()}/denied?attack=99`);
    await page.getByText('This attack is not stored').waitFor();
  });

  itInLongTests('lists the entries that denied most first, each with its hours', async () => {
    await page.goto(`${base()}/blocked`);
    await page.getByRole('button', { name: 'Knocking', exact: true }).click();
    await page.waitForURL(/hit_within=24h&sort=hits&order=desc/);
    await page.getByText(/^[\d,]+ found$/).waitFor();
    const { body } = await service.call('GET', '/api/blocked-ips?hit_within=24h&sort=hits&order=desc&limit=3');
    const listed = (body['items'] as { ip_address: string; hits: { last_24h: number } }[]).map(
      ({ ip_address: ip, hits }) => new RegExp(`${ip.replaceAll('.', '\\.')} .*${hits.last_24h.toLocaleString('en')}`),
    );
    for (const [at, words] of listed.entries()) {
      const row = page.getByRole('row', { name: words }).and(page.locator(`[aria-rowindex="${at + 2}"]`));
      await row.locator('rect').first().waitFor();
    }
  });

  itInLongTests(
    'shows the whole of a long address beside its story, and edits selected entries in one request',
    async () => {
      const long = '2001:db8:1234:5678:9abc:def0:1234:5678';
      const ending = ['192.0.2.77', '192.0.2.78'];
      const body = { add: [long, ...ending.map((ip_address) => ({ ip_address, duration_seconds: 3_600 }))] };
      expect((await service.call('POST', '/api/blocked-ips/batch', { body })).status).toBe(200);
      const wide = page.viewportSize() ?? { width: 1440, height: 900 };
      try {
        for (const width of [1200, 320]) {
          await page.setViewportSize({ width, height: 860 });
          await page.goto(`${base()}/blocked?q=${long}${width === 1200 ? `&entry=${long}` : ''}`);
          const cell = page.getByRole('gridcell', { name: long, exact: true });
          await eventually(`nothing of the address is cut at ${width} px`, async () => {
            const cut = '(cell) => cell.scrollWidth > cell.clientWidth || cell.scrollHeight > cell.clientHeight';
            const handle = await cell.elementHandle();
            return (await handle?.evaluate(new Function('cell', `return (${cut})(cell)`) as () => boolean)) === false;
          });
        }
      } finally {
        await page.setViewportSize(wide);
      }

      await page.goto(`${base()}/blocked?q=192.0.2.7`);
      // Its count is a request of its own.
      const expiring = page.getByRole('group', { name: 'Views' }).getByRole('button', { name: 'Expiring' });
      await expiring.and(page.getByTitle(/^[\d,]+ entries$/)).waitFor();
      const openEdit = async () => {
        for (const ip of ending) await page.getByRole('checkbox', { name: `Select ${ip}` }).click();
        await page.getByRole('button', { name: 'Edit 2 entries' }).click();
        return page.getByRole('dialog', { name: 'Edit 2 entries' });
      };
      const sent: string[] = [];
      const note = (request: Request): void => {
        const { pathname } = new URL(request.url());
        if (request.method() === 'POST' && pathname.startsWith('/api/blocked-ips')) sent.push(pathname);
      };
      const change = async (dialog: Locator) => {
        await dialog.getByRole('button', { name: 'Change 2 entries' }).click();
        await dialog.waitFor({ state: 'detached' });
      };
      const stored = (ip: string) => service.call('GET', `/api/blocked-ips/${ip}`);
      const extend = await openEdit();
      await extend.getByText('30 days').click();
      page.on('request', note);
      await change(extend);
      page.off('request', note);
      expect(sent).toEqual(['/api/blocked-ips/batch']);
      const ends = await Promise.all(ending.map(async (ip) => (await stored(ip)).body['expires_at'] as string));
      for (const end of ends) expect(Date.parse(end) - Date.now()).toBeGreaterThan(29 * 86_400_000);

      // The expiry stays as it is.
      const explain = await openEdit();
      await explain.getByLabel('Reason').fill('port scan');
      await change(explain);
      for (const [at, ip] of ending.entries())
        expect((await stored(ip)).body).toMatchObject({ reason: 'port scan', expires_at: ends[at] });
    },
  );

  itInLongTests('names the first steps, and forgets them when they are hidden', async () => {
    // With a short table: axe checks each cell.
    await page.goto(`${base()}/?range=1h&as=table`);
    const steps = region('First steps');
    await steps.getByText('Block an address: done').waitFor();
    await steps.getByRole('link', { name: 'Trust your own address' }).waitFor();
    expect(await seriousFindingsInLongTests(page)).toEqual([]);
    await steps.getByRole('button', { name: 'Hide first steps' }).click();
    await steps.waitFor({ state: 'detached' });
    await page.reload();
    await region('Figures of the last 1 h').waitFor();
    expect(await steps.count()).toBe(0);
  });

  it('lists notices, and marks them as read in every session of the key', async () => {
    const bell = (tab: Page) => tab.getByRole('button', { name: /^Notices/ });
    // The service may have added some of its own start.
    await page.getByRole('button', { name: /^Notices: \d+ unread$/ }).click();
    const list = page.getByRole('dialog', { name: 'Notices' });
    await list.getByText('Attack: 5,400 denied requests a minute').waitFor();
    await list.getByText('ended after 45 min').waitFor();
    await list.getByText('A certificate expires in 9 days').waitFor();
    expect(await seriousFindingsInLongTests(page, { dialogOnly: true })).toEqual([]);
    await page.keyboard.press('Escape');
    await list.waitFor({ state: 'detached' });
    await bell(page).and(page.locator(':focus')).waitFor();
    await bell(page).click();
    await list.getByRole('button', { name: 'Mark all as read' }).click();
    await page.getByRole('button', { name: 'Notices', exact: true }).waitFor();
    expect((await service.call('GET', '/api/notices')).body['unread']).toBe(0);
    await page.keyboard.press('Escape');
  });

  // Axe takes seconds for each page and size.
  itInLongTests(
    'has no sideways scrolling on a phone of 320 px and at 200 %, and no findings (in long tests)',
    async () => {
      const wide = page.viewportSize() ?? { width: 1440, height: 900 };
      // 640 px are 1280 at 200 %.
      const sizes = [wide, { width: 640, height: 400 }, { width: 320, height: 640 }];
      const wrong: string[] = [];
      try {
        for (const path of [
          '/',
          '/denied',
          '/blocked?hit_within=24h&sort=hits&order=desc',
          '/map',
          '/candidates',
          '/sources',
        ]) {
          // A short table: axe checks each cell.
          await page.goto(`${base()}${path}${path.includes('?') ? '' : '?range=1h'}`);
          await page.getByRole('heading', { level: 1 }).waitFor();
          for (const [at, size] of sizes.entries()) {
            await page.setViewportSize(size);
            await page.locator('.mantine-Loader-root').first().waitFor({ state: 'detached' });
            const width = await page.evaluate('document.documentElement.scrollWidth');
            if (width !== size.width) wrong.push(`${path} is ${width} px wide at ${size.width}`);
            if (!longTests) continue;
            const colorScheme = at % 2 === 0 ? 'dark' : 'light';
            await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
            await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor({ state: 'attached' });
            wrong.push(
              ...(await seriousFindingsInLongTests(page, { all: true })).map(
                (one) => `${path} at ${size.width}: ${one}`,
              ),
            );
          }
        }
        expect(wrong).toEqual([]);
      } finally {
        await page.setViewportSize(wide);
        await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
      }
    },
  );

  itInLongTests('asks the service for nothing while its tab is hidden', async () => {
    const tab = await openPage(browser);
    const sent: string[] = [];
    tab.on('request', (request) => void sent.push(new URL(request.url()).pathname));
    await tab.clock.install();
    await tab.goto(base());
    await tab.getByLabel('API key').fill(service.key);
    await tab.keyboard.press('Enter');
    await tab.getByRole('heading', { name: 'Blocking is active' }).waitFor();
    await tab.waitForLoadState('load');
    // Of the first steps, which come last.
    for (const path of ['/api/sites', '/api/keys']) await eventually(`it asks for ${path}`, () => sent.includes(path));
    sent.length = 0;
    // It does ask while it is visible. By then all pages are loaded.
    await tab.clock.runFor(10_000);
    await eventually('it asks for health', async () => {
      await tab.clock.runFor(2_500);
      return sent.includes('/health');
    });
    await tab.evaluate(
      `Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true }); document.dispatchEvent(new Event('visibilitychange'))`,
    );
    sent.length = 0;
    await tab.clock.runFor(50_000);
    // Without its heartbeats, for which no time has passed, the stream of events opens again.
    expect(sent.filter((path) => path !== '/api/events')).toEqual([]);
    await tab.close();
  });
});
