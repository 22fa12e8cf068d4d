// What axe, run in the page itself, finds serious in it.
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { eventually } from './conditions.ts';

/** The rules about colours among those that axe applies by itself. */
const ofColours: axe.RunOnly = { type: 'rule', values: ['color-contrast', 'link-in-text-block'] };

export interface Examination {
  /** Only what depends on colours: for a page of which the rest was examined in another theme. */
  readonly coloursOnly?: boolean;
}

/** What is serious or critical and stays so: a message that fades away has no contrast for a moment. */
export async function seriousFindings(page: Page, examination: Examination = {}): Promise<string[]> {
  let findings: string[] = [];
  const none = async () => {
    findings = await findingsNow(page, examination);
    return findings.length === 0;
  };
  await eventually('axe finds nothing serious', none).catch(() => undefined);
  return findings;
}

async function findingsNow(page: Page, { coloursOnly = false }: Examination): Promise<string[]> {
  // Colours in transition are not measured.
  await page.evaluate('Promise.all(document.getAnimations().map((one) => one.finished.catch(() => null)))');
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(axe.source);
  const options: axe.RunOptions = { resultTypes: ['violations'], ...(coloursOnly ? { runOnly: ofColours } : {}) };
  const results = (await page.evaluate(`axe.run(document, ${JSON.stringify(options)})`)) as axe.AxeResults;
  return results.violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`));
}
