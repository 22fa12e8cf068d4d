// Runs axe in the page.
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { eventually } from './conditions.ts';
import { longTests } from './proxies.ts';

/** Axe's rules about colours. */
const ofColours: axe.RunOnly = { type: 'rule', values: ['color-contrast', 'link-in-text-block'] };

interface Examination {
  /** For a page whose other rules were checked in another theme. */
  readonly coloursOnly?: boolean;
  /** Only the open dialog, over a page that is checked without it. */
  readonly dialogOnly?: boolean;
  /** Moderate and minor findings too. */
  readonly all?: boolean;
}

/** Serious or critical findings that stay: a fading message has no contrast for a moment. */
export async function seriousFindings(page: Page, examination: Examination = {}): Promise<string[]> {
  let findings: string[] = [];
  const none = async () => {
    findings = await findingsNow(page, examination);
    return findings.length === 0;
  };
  await eventually('axe finds nothing serious', none).catch(() => undefined);
  return findings;
}

/** For what is like a page or dialog that panel.test.ts examines: axe takes a second of processor time for each. */
export async function seriousFindingsInLongTests(page: Page, examination: Examination = {}): Promise<string[]> {
  return longTests ? await seriousFindings(page, examination) : [];
}

async function findingsNow(page: Page, examination: Examination): Promise<string[]> {
  const { coloursOnly = false, dialogOnly = false, all = false } = examination;
  await page.evaluate('Promise.all(document.getAnimations().map((one) => one.finished.catch(() => null)))');
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(axe.source);
  const options: axe.RunOptions = { resultTypes: ['violations'], ...(coloursOnly ? { runOnly: ofColours } : {}) };
  const context = dialogOnly ? `{ include: '[role=dialog]' }` : 'document';
  const results = (await page.evaluate(`axe.run(${context}, ${JSON.stringify(options)})`)) as axe.AxeResults;
  return results.violations
    .filter(({ impact }) => all || impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`));
}
