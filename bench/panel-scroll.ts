// `npm run bench:panel [-- ENTRIES]`: whether a list of a million entries scrolls smoothly in a real Chromium. Each
// scroll is compared with an idle page, because a busy machine drops frames of its own.
import type { Browser, CDPSession, Page } from 'playwright-core';
import { startBrowser } from '../testkit/browser.ts';
import { listOf } from '../testkit/load/lists.ts';
import { percentile } from '../testkit/load/percentile.ts';
import { testProxies } from '../testkit/proxies.ts';
import { RealService } from '../testkit/real-service.ts';
import { sampleReasons, sampleSources } from '../testkit/sample-words.ts';

const rare = 'a needle, once in all of it';

/**
 * Runs in the page: frame gaps, and how often visible rows were missing, while `move(share, frame)` is called each
 * frame.
 */
const recordFrames = (milliseconds: number, move: string): string => `new Promise((resolve) => {
  const grid = document.querySelector('[role=grid]');
  const move = ${move};
  const gaps = [];
  let waiting = 0;
  const begun = performance.now();
  let last = begun;
  const frame = (now) => {
    if (now > last) gaps.push(now - last);
    last = now;
    const edge = grid.getBoundingClientRect();
    for (const row of grid.querySelectorAll('[aria-busy=true]')) {
      const { top, bottom } = row.getBoundingClientRect();
      if (bottom > edge.top && top < edge.bottom) { waiting += 1; break; }
    }
    const share = (performance.now() - begun) / ${milliseconds};
    if (share >= 1) return resolve({ gaps, waiting });
    move(grid, share);
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
})`;

interface Frames {
  readonly gaps: readonly number[];
  readonly waiting: number;
}

/** Visible rows by number and address; null while one is missing. */
const inSight = `(() => {
  const grid = document.querySelector('[role=grid]');
  const edge = grid.getBoundingClientRect();
  const rows = [...grid.querySelectorAll('[role=rowgroup] > [role=row]')].filter((row) => {
    const { top, bottom } = row.getBoundingClientRect();
    return bottom > edge.top && top < edge.bottom;
  });
  if (rows.length === 0 || rows.some((row) => row.getAttribute('aria-busy') === 'true')) return null;
  return rows.map((row) => [Number(row.getAttribute('aria-rowindex')) - 2, row.querySelector('[data-column=address]').textContent]);
})()`;

async function fill(service: RealService, list: readonly string[]): Promise<void> {
  const body = list.map((ip_address, at) => ({
    ip_address,
    reason: at === 777 ? rare : sampleReasons[at % sampleReasons.length],
    blocked_by: sampleSources[at % sampleSources.length],
  }));
  const answer = await service.call('PUT', '/api/blocked-ips', { body });
  if (answer.status !== 200) throw new Error(`the list was not taken: ${answer.text.slice(0, 500)}`);
}

function byAddress(list: readonly string[]): string[] {
  const value = (text: string): number => text.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
  return [...list].sort((a, b) => value(a) - value(b));
}

async function openList(browser: Browser, service: RealService): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  await page.goto(`http://127.0.0.1:${service.apiPort}/blocked`);
  await page.getByLabel('API key').fill(service.key);
  await page.keyboard.press('Enter');
  await page.getByRole('row').nth(5).waitFor();
  return page;
}

async function scrolled({ page, thread }: Watched, name: string, milliseconds: number, move: string): Promise<void> {
  const before = await workOf(thread);
  const { gaps, waiting } = (await page.evaluate(recordFrames(milliseconds, move))) as Frames;
  const work = ((await workOf(thread)) - before) / gaps.length;
  const [half, most, longest] = [0.5, 0.99, 1].map((share) => percentile(gaps, share).toFixed(1));
  const late = gaps.filter((gap) => gap > 50).length;
  say(
    `${name}: ${gaps.length} frames, p50 ${half}, p99 ${most}, longest ${longest} ms, ${late} over 50 ms, ${work.toFixed(1)} ms of work in the page a frame; rows in sight not there yet in ${waiting} frames`,
  );
}

interface Watched {
  readonly page: Page;
  readonly thread: CDPSession;
}

/** Milliseconds of the main thread's processor time: independent of other processes. */
async function workOf(thread: CDPSession): Promise<number> {
  const { metrics } = await thread.send('Performance.getMetrics');
  return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN) * 1_000;
}

/** Milliseconds until every visible row is the right one. */
async function jumped(page: Page, share: number, sorted: readonly string[]): Promise<number> {
  const begun = performance.now();
  await page.evaluate(`(() => {
    const grid = document.querySelector('[role=grid]');
    grid.scrollTop = (grid.scrollHeight - grid.clientHeight) * ${share};
  })()`);
  // Two frames: the browser draws the old rows until it has reported the scroll.
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
  const rows = (await page.evaluate(`new Promise((resolve) => {
    const look = () => {
      const rows = ${inSight};
      if (rows === null) requestAnimationFrame(look);
      else resolve(rows);
    };
    look();
  })`)) as [number, string][];
  const took = performance.now() - begun;
  for (const [number, address] of rows) {
    if (sorted[number] !== address)
      throw new Error(`row ${number} shows ${address}; it is ${sorted[number]} that belongs there`);
  }
  return took;
}

/** Milliseconds from typing to the answer, including the debounce. */
async function searched(page: Page, typed: string, says: string): Promise<number> {
  await page.getByLabel('Search', { exact: true }).fill('');
  await page.getByText(/ blocked$/).waitFor();
  const begun = performance.now();
  await page.getByLabel('Search', { exact: true }).fill(typed);
  await page.getByText(says).first().waitFor();
  return performance.now() - begun;
}

/** Longest block of one every 20 ms during `work`. */
async function longestBlock(service: RealService, work: Promise<unknown>): Promise<number> {
  let over = false;
  void work.finally(() => {
    over = true;
  });
  const took: number[] = [];
  const under: Promise<void>[] = [];
  for (let at = 0; !over; at += 1) {
    const begun = performance.now();
    under.push(
      service.block(`10.9.${at >> 8}.${at & 255}`).then(() => {
        took.push(performance.now() - begun);
      }),
    );
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  await Promise.all([work, ...under]);
  await service.call('POST', '/api/blocked-ips/batch', {
    body: { remove: Array.from({ length: under.length }, (_, at) => `10.9.${at >> 8}.${at & 255}`) },
  });
  return Math.max(...took);
}

async function asked(service: RealService, query: string, times: number): Promise<string> {
  const took: number[] = [];
  for (let time = 0; time < times; time += 1) {
    const begun = performance.now();
    const answer = await service.call('GET', `/api/blocked-ips?${query}`);
    if (answer.status !== 200) throw new Error(answer.text);
    took.push(performance.now() - begun);
  }
  return `p50 ${percentile(took, 0.5).toFixed(0)}, longest ${percentile(took, 1).toFixed(0)} ms`;
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

const entries = Number(process.argv[2] ?? 1_000_000);
// HAProxy's folder is not in the PATH of ordinary users.
process.env['PATH'] += ':/usr/sbin:/usr/local/sbin';
const proxy = testProxies().found.at(-1);
if (proxy === undefined) throw new Error('HAProxy is not installed');
const list = listOf({ kind: 'ipv4', entries });
const sorted = byAddress(list);
const service = await RealService.start({ bin: proxy.bin });
try {
  await service.healthy();
  await fill(service, list);
  say(`${entries} entries, ${new Date().toISOString()}`);
  const half = Math.floor(entries / 2);
  for (const query of ['limit=500', `limit=500&offset=${half}`, `limit=500&offset=${entries - 500}`])
    say(`GET ?${query}: ${await asked(service, query, 20)}`);
  for (const query of [
    'text=needle',
    'text=nowhere',
    'text=fail2ban',
    `text=fail2ban&offset=${Math.floor(entries / 3) - 500}`,
  ])
    say(`GET ?${query}: ${await asked(service, query, 5)}`);
  const idle = await longestBlock(service, new Promise((resolve) => setTimeout(resolve, 3_000)));
  const one = await longestBlock(service, asked(service, 'text=nowhere', 3));
  const four = await longestBlock(service, Promise.all([1, 2, 3, 4].map(() => asked(service, 'text=nowhere', 1))));
  const far = await longestBlock(service, asked(service, `limit=500&offset=${entries - 500}`, 30));
  say(
    `a block every 20 ms, longest: ${idle.toFixed(0)} ms alone, ${one.toFixed(0)} during searches by text, ${four.toFixed(0)} during four at once, ${far.toFixed(0)} during far pages`,
  );

  await using browser = await startBrowser();
  const page = await openList(browser, service);
  await page.waitForTimeout(1_000);
  const thread = await page.context().newCDPSession(page);
  await thread.send('Performance.enable', { timeDomain: 'threadTicks' });
  const watched = { page, thread };
  await scrolled(watched, 'nothing moves', 3_000, '() => undefined');
  await scrolled(watched, 'the wheel, 60 px a frame', 6_000, '(grid) => { grid.scrollTop += 60; }');
  await scrolled(watched, 'the wheel, 600 px a frame', 6_000, '(grid) => { grid.scrollTop += 600; }');
  await scrolled(
    watched,
    'the bar, from the beginning to the end in 4 s',
    4_000,
    '(grid, share) => { grid.scrollTop = (grid.scrollHeight - grid.clientHeight) * share; }',
  );
  const places = [0.5, 1, 0.25, 0, 0.75, 0.1, 0.9, 0.333, 1];
  const took: number[] = [];
  for (const share of places) took.push(await jumped(page, share, sorted));
  say(
    `jumps to ${places.map((share) => `${share * 100} %`).join(', ')}, until the right rows are shown: ${took.map((ms) => ms.toFixed(0)).join(', ')} ms`,
  );
  say(
    `search of a text that one entry has: ${(await searched(page, 'NEEDLE', '1 found in reasons and “Blocked by”')).toFixed(0)} ms`,
  );
  say(`search of an address: ${(await searched(page, sorted[half] as string, '1 found')).toFixed(0)} ms`);
} finally {
  await service.stop();
}
