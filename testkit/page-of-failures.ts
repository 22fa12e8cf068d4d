import type { Page } from 'playwright-core';
import { afterEach } from 'vitest';

/** Call it where tests are described: what the page says when a test fails tells why what it waited for never came. */
export function showPageOfFailures(page: () => Page): void {
  afterEach(async ({ task }) => {
    if (task.result?.state !== 'fail') return;
    const shown = await page().evaluate('document.body.innerText');
    console.error(`When "${task.name}" failed, ${page().url()} said:\n${String(shown)}`);
  });
}
