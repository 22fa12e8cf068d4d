// What the panel shows and does, in a real Firefox. Without a graphics card it takes some ten times the processor time of
// Chromium.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'puppeteer-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { eventually, patienceMs } from '../../testkit/conditions.ts';
import { firefoxPath, startFirefox } from '../../testkit/firefox.ts';
import { startSeeded } from '../../testkit/insight/seeded-service.ts';
import { testProxies } from '../../testkit/proxies.ts';
import type { RealService } from '../../testkit/real-service.ts';

const proxy = testProxies().found.at(-1);
const lacking = [
  ...(firefoxPath === null ? ['Firefox is not installed: apt-get install firefox-esr'] : []),
  ...(proxy === undefined ? ['HAProxy is not installed'] : []),
];
/** NS_BINDING_ABORTED */
const aborted = 'status=2152398850';
const pages = [
  ['/', 'Overview'],
  ['/denied', 'Denied requests'],
  ['/candidates', 'Candidates'],
  ['/blocked', 'Blocked addresses'],
  ['/map', 'Map'],
  ['/trusted', 'Trusted addresses'],
  ['/sources', 'Sources'],
  ['/check', 'Check an address'],
  ['/sites', 'Sites'],
  ['/certificates', 'Certificates'],
  ['/upstreams', 'In front of HAProxy'],
  ['/configuration', 'Configuration'],
  ['/activity', 'Activity'],
  ['/webhooks', 'Webhooks'],
  ['/keys', 'API keys'],
] as const;

it('every page of the panel is among those that Firefox opens', () => {
  const router = readFileSync(join(import.meta.dirname, '../../panel/src/app/router.tsx'), 'utf8');
  const routes = [...router.matchAll(/^ {2}at\('([^']+)'/gm)].map(([, path]) => path);
  expect(pages.map(([path]) => path).toSorted()).toEqual(routes.toSorted());
});

function inFirefox(): void {
  let service: RealService;
  let browser: Browser;
  let page: Page;
  const complaints: string[] = [];

  beforeAll(async () => {
    [service, browser] = await Promise.all([
      startSeeded({ bin: proxy?.bin ?? '', entries: 1_000_000 }),
      startFirefox(),
    ]);
    page = await browser.newPage();
    page.setDefaultTimeout(patienceMs);
    await page.setViewport({ width: 1440, height: 900 });
    const complain = (text: string) => {
      // A page that is left meanwhile ends its downloads.
      if (!text.includes(aborted)) complaints.push(text);
    };
    page.on('pageerror', (error) => complain(String(error)));
    page.on('console', (message) => {
      if (message.type() === 'error') complain(message.text());
    });
    await page.goto(base());
    await page.locator('input').fill(service.key);
    await page.keyboard.press('Enter');
    await heading('Blocking is active');
  });
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
  });
  afterEach(() => {
    expect(complaints.splice(0)).toEqual([]);
  });

  const base = (): string => `http://127.0.0.1:${service.apiPort}`;
  // Looking for roles and names is slow in Firefox.
  const heading = (name: string) =>
    page.locator(`::-p-xpath(//*[self::h1 or self::h2][normalize-space(.)="${name}"])`).wait();
  const button = (name: string) => page.locator(`::-p-xpath(//button[normalize-space(.)="${name}"])`);
  const says = (words: string) =>
    eventually(`the page says "${words}"`, async () =>
      String(await page.evaluate('document.body.innerText')).includes(words),
    );

  it('shows every page, without an error in the console and without sideways scrolling', async () => {
    const wrong: string[] = [];
    for (const [path, name] of pages) {
      await page.goto(`${base()}${path}`);
      await heading(name);
      await eventually(
        `${path} has loaded`,
        async () => (await page.evaluate(`document.querySelector('.mantine-Loader-root')`)) === null,
      );
      for (const width of [1440, 390]) {
        await page.setViewport({ width, height: 900 });
        const wide = await page.evaluate(`new Promise((resolve) =>
          requestAnimationFrame(() => requestAnimationFrame(() => resolve(document.documentElement.scrollWidth))))`);
        if (Number(wide) > width) wrong.push(`${path} is ${wide} px wide at ${width}`);
      }
      await page.setViewport({ width: 1440, height: 900 });
    }
    expect(wrong).toEqual([]);
  });

  it('draws the chart and the map', async () => {
    const painted = (selector: string) => `(() => {
      const canvas = document.querySelector('${selector}');
      if (canvas === null || canvas.width === 0) return 0;
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      const colours = new Set();
      for (let at = 0; at < data.length; at += 4) colours.add(data[at] << 16 | data[at + 1] << 8 | data[at + 2]);
      return colours.size;
    })()`;
    for (const [path, selector] of [
      ['/?chart=denied', '.uplot canvas'],
      ['/map', 'main canvas'],
    ] as const) {
      await page.goto(`${base()}${path}`);
      await eventually(
        `${path} is painted in several colours`,
        async () => Number(await page.evaluate(painted(selector))) > 3,
      );
    }
  });

  it('blocks an address, shows its story and unblocks it, by keyboard', async () => {
    await page.goto(`${base()}/blocked`);
    await button('Block address').click();
    await page.locator('[role=dialog] input').fill('127.0.0.9');
    await page.keyboard.press('Enter');
    await says('127.0.0.9 is blocked');
    await eventually('it is denied', async () => (await service.visit('127.0.0.9')) === 403);
    await page.goto(`${base()}/blocked?entry=127.0.0.9`);
    await button('Unblock').click();
    await says('127.0.0.9 is no longer blocked');
    await eventually('it is served', async () => (await service.visit('127.0.0.9')) !== 403);
  });
}

describe.skipIf(lacking.length > 0)(['the panel in Firefox', ...lacking].join(': skipped, '), inFirefox);
