// `npm run bench:panel-pages [-- ENTRIES [SECONDS]]`: how soon each page of the panel shows its largest part in a real
// Chromium, what an idle tab receives and sends in a minute, and how soon the map opens; with 90 days of seeded figures.
import type { Browser, CDPSession, Page } from 'playwright-core';
import { startBrowser } from '../testkit/browser.ts';
import { startSeeded } from '../testkit/insight/seeded-service.ts';
import { median, percentile } from '../testkit/load/percentile.ts';
import { testProxies } from '../testkit/proxies.ts';
import type { RealService } from '../testkit/real-service.ts';

const pages = [
  '/',
  '/denied',
  '/blocked',
  '/blocked?hit_within=24h&sort=hits&order=desc',
  '/map',
  '/candidates',
  '/sources',
];
const loads = 7;

/** In the page: the largest paint so far; milliseconds since the navigation. */
const watchPaint = `
  window.largest = { at: 0, text: '' };
  new PerformanceObserver((list) => {
    for (const { startTime, element } of list.getEntries())
      window.largest = { at: startTime, text: (element?.textContent ?? element?.tagName ?? '').slice(0, 60) };
  }).observe({ type: 'largest-contentful-paint', buffered: true });`;

interface Largest {
  readonly at: number;
  readonly text: string;
}

async function signedIn(browser: Browser, service: RealService): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await page.addInitScript(watchPaint);
  await page.goto(base(service));
  await page.getByLabel('API key').fill(service.key);
  await page.keyboard.press('Enter');
  await page.getByRole('navigation').first().waitFor();
  return page;
}

const base = (service: RealService): string => `http://127.0.0.1:${service.apiPort}`;

async function settled(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.locator('.mantine-Loader-root').first().waitFor({ state: 'detached' });
  await page.waitForTimeout(500);
}

async function paints(page: Page, thread: CDPSession, url: string, cached: boolean): Promise<string> {
  await thread.send('Network.setCacheDisabled', { cacheDisabled: !cached });
  const took: number[] = [];
  let text = '';
  for (let time = 0; time < loads; time += 1) {
    await page.goto(url);
    await settled(page);
    const largest = (await page.evaluate('window.largest')) as Largest;
    took.push(largest.at);
    text = largest.text;
  }
  const [least, most] = [percentile(took, 0), percentile(took, 1)].map((ms) => ms.toFixed(0));
  return `${cached ? 'cached' : 'first visit'} ${median(took).toFixed(0)} (${least} to ${most}) ms “${text}”`;
}

/** Bytes with their headers, as far as they are known. */
class Traffic {
  received = 0;
  sent = 0;
  readonly requests = new Map<string, number>();

  watch(thread: CDPSession): void {
    thread.on('Network.requestWillBeSent', ({ request }) => {
      const { pathname } = new URL(request.url);
      this.requests.set(pathname, (this.requests.get(pathname) ?? 0) + 1);
    });
    thread.on('Network.requestWillBeSentExtraInfo', ({ headers }) => {
      for (const [name, value] of Object.entries(headers)) this.sent += name.length + value.length + 4;
    });
    thread.on('Network.loadingFinished', ({ encodedDataLength }) => {
      this.received += encodedDataLength;
    });
  }
}

async function idle(page: Page, url: string, seconds: number): Promise<string> {
  await page.goto(url);
  await settled(page);
  // Other pages and the fonts are loaded by then.
  await page.waitForTimeout(12_000);
  const thread = await page.context().newCDPSession(page);
  const traffic = new Traffic();
  await thread.send('Network.enable');
  traffic.watch(thread);
  await page.waitForTimeout(seconds * 1_000);
  await thread.detach();
  const aMinute = (bytes: number): string => `${((bytes / 1_000) * (60 / seconds)).toFixed(1)} kB`;
  const by = [...traffic.requests].map(([path, times]) => `${path} ${times}`).join(', ');
  return `received ${aMinute(traffic.received)}, sent ${aMinute(traffic.sent)} a minute (${by} in ${seconds} s)`;
}

/** Milliseconds from the click on a link of the menu to the picture with its table. */
async function mapOpens(page: Page): Promise<number> {
  return (await page.evaluate(`new Promise((resolve) => {
    const begun = performance.now();
    document.querySelector('nav a[href="/map"]').click();
    const look = () => {
      const canvas = document.querySelector('canvas');
      const rows = document.querySelectorAll('[aria-label="Networks with blocked addresses"] tbody tr');
      if (canvas !== null && canvas.width > 300 && rows.length > 0) resolve(performance.now() - begun);
      else requestAnimationFrame(look);
    };
    look();
  })`)) as number;
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

const entries = Number(process.argv[2] ?? 1_000_000);
const seconds = Number(process.argv[3] ?? 60);
// HAProxy's folder is not in the PATH of ordinary users.
process.env['PATH'] += ':/usr/sbin:/usr/local/sbin';
const proxy = testProxies().found.at(-1);
if (proxy === undefined) throw new Error('HAProxy is not installed');
const service = await startSeeded({ bin: proxy.bin, entries });
try {
  say(`${entries} entries, ${new Date().toISOString()}`);
  await using browser = await startBrowser();
  const page = await signedIn(browser, service);
  await settled(page);
  const thread = await page.context().newCDPSession(page);
  await thread.send('Network.enable');
  for (const path of pages) {
    const url = base(service) + path;
    say(
      `largest paint of ${path}: ${await paints(page, thread, url, true)}; ${await paints(page, thread, url, false)}`,
    );
  }
  await thread.send('Network.setCacheDisabled', { cacheDisabled: false });
  const opened: number[] = [];
  for (let time = 0; time < loads; time += 1) {
    await page.goto(`${base(service)}/sources`);
    await settled(page);
    // All pages are loaded by then.
    await page.waitForTimeout(5_000);
    opened.push(await mapOpens(page));
  }
  say(`the map opens after ${opened.map((ms) => ms.toFixed(0)).join(', ')} ms`);
  if (seconds > 0)
    for (const path of ['/', '/blocked', '/blocked?hit_within=24h&sort=hits&order=desc'])
      say(`idle ${path}: ${await idle(page, base(service) + path, seconds)}`);
} finally {
  await service.stop();
}
