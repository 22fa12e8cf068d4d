// A real Firefox with an empty profile. Playwright drives only a Firefox of its own, which no distribution has.
import { existsSync } from 'node:fs';
import puppeteer, { type Browser } from 'puppeteer-core';
import { patienceMs } from './conditions.ts';

const candidates = [process.env['PROXY_MANAGER_TEST_FIREFOX'], '/usr/bin/firefox-esr', '/usr/bin/firefox'];

/** Null: not installed; `apt-get install firefox-esr`. */
export const firefoxPath: string | null = candidates.find((path) => path !== undefined && existsSync(path)) ?? null;

export async function startFirefox(): Promise<Browser> {
  if (firefoxPath === null) throw new Error('there is no Firefox here: apt-get install firefox-esr');
  return await puppeteer.launch({
    browser: 'firefox',
    executablePath: firefoxPath,
    headless: true,
    timeout: patienceMs,
  });
}
