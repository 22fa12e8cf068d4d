// A real Chromium with an empty profile.
import { existsSync } from 'node:fs';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { patienceMs } from './conditions.ts';

/** First the engine without the browser's own windows, which take a sixth to a third of the tests' processor time. */
const candidates = [
  process.env['PROXY_MANAGER_TEST_CHROMIUM'],
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
];

/** Null: not installed; `apt-get install chromium` (or `scripts/prepare tests` as root). */
export const chromiumPath: string | null = candidates.find((path) => path !== undefined && existsSync(path)) ?? null;

const args = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** @param hosts names of this machine, such as `panel.test`: their pages over plain HTTP are no secure context */
export async function startBrowser(hosts: readonly string[] = []): Promise<Browser> {
  const resolved = `--host-resolver-rules=${hosts.map((host) => `MAP ${host} 127.0.0.1`).join(',')}`;
  return await chromium.launch({ executablePath: foundChromium(), headless: true, args: [...args, resolved] });
}

/** In a profile of its own, and as patient as all waits of tests. */
export async function openPage(
  browser: { newPage(options?: BrowserContextOptions): Promise<Page> },
  options: BrowserContextOptions = {},
): Promise<Page> {
  const page = await browser.newPage(options);
  page.setDefaultTimeout(patienceMs);
  return page;
}

/** Keeps its profile in a folder, as a person's browser does. */
export async function startBrowserWithProfile(profile: string): Promise<BrowserContext> {
  return await chromium.launchPersistentContext(profile, { executablePath: foundChromium(), headless: true, args });
}

function foundChromium(): string {
  if (chromiumPath === null) throw new Error('there is no Chromium here: apt-get install chromium');
  return chromiumPath;
}
