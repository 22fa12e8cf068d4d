// A real Chromium, with nothing of the machine's user in it and no word to anybody but the page's own service.
import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const candidates = [process.env['PROXY_MANAGER_TEST_CHROMIUM'], '/usr/bin/chromium', '/usr/bin/chromium-browser'];

/** Null: there is none on this machine; `apt-get install chromium` (or `scripts/prepare tests` as root) brings it. */
export const chromiumPath: string | null = candidates.find((path) => path !== undefined && existsSync(path)) ?? null;

export async function startBrowser(): Promise<Browser> {
  if (chromiumPath === null) throw new Error('there is no Chromium here: apt-get install chromium');
  return await chromium.launch({
    executablePath: chromiumPath,
    headless: true,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}
