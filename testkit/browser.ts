// A real Chromium with an empty profile, which contacts only the page's own service.
import { existsSync } from 'node:fs';
import { type Browser, type BrowserContext, chromium } from 'playwright-core';

const candidates = [process.env['PROXY_MANAGER_TEST_CHROMIUM'], '/usr/bin/chromium', '/usr/bin/chromium-browser'];

/** Null: there is none on this machine; `apt-get install chromium` (or `scripts/prepare tests` as root) brings it. */
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

/** @param hosts names that lead to this machine, such as `panel.test`: over plain HTTP a page of theirs is no secure context */
export async function startBrowser(hosts: readonly string[] = []): Promise<Browser> {
  const resolved = `--host-resolver-rules=${hosts.map((host) => `MAP ${host} 127.0.0.1`).join(',')}`;
  return await chromium.launch({ executablePath: foundChromium(), headless: true, args: [...args, resolved] });
}

/** With a profile in the folder `profile`, as a person's browser has one. */
export async function startBrowserWithProfile(profile: string): Promise<BrowserContext> {
  return await chromium.launchPersistentContext(profile, { executablePath: foundChromium(), headless: true, args });
}

function foundChromium(): string {
  if (chromiumPath === null) throw new Error('there is no Chromium here: apt-get install chromium');
  return chromiumPath;
}
