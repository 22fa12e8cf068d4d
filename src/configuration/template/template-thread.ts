// Renders an operator's template in a thread of its own, which is terminated when it loops endlessly or takes too much
// memory, and blocks no other work meanwhile.
import { Worker } from 'node:worker_threads';
import type { TemplateScope } from './render-scope.ts';
import { TemplateRefused, templateLimits } from './template-engine.ts';

/** The only message of the thread. */
export type ThreadAnswer =
  | { readonly kind: 'rendered'; readonly text: string }
  | { readonly kind: 'refused'; readonly message: string; readonly line: number | null }
  | { readonly kind: 'failed'; readonly stack: string };

export interface ThreadTask {
  readonly template: string;
  readonly scope: TemplateScope;
}

/** Beyond the engine's own limit, which names a line; for a template that never reaches the engine's check. */
const graceMs = 2_000;
const maxMegabytes = 1_024;

/**
 * Calls `renderTemplate` in the thread.
 * @throws TemplateRefused, also when the thread was terminated
 */
export async function renderInThread(
  template: string,
  scope: TemplateScope,
  limitMs = templateLimits.time + graceMs,
): Promise<string> {
  const answer = await answerOf({ template, scope }, limitMs);
  if (answer.kind === 'rendered') return answer.text;
  if (answer.kind === 'refused') throw new TemplateRefused(answer.message, answer.line);
  throw new Error(`the thread that renders the template failed: ${answer.stack}`);
}

function answerOf(workerData: ThreadTask, limitMs: number): Promise<ThreadAnswer> {
  // Beside what runs: the sources, or what was bundled.
  const main = import.meta.url.endsWith('.ts') ? './template-thread-main.ts' : './template-thread-main.js';
  const thread = new Worker(new URL(main, import.meta.url), {
    workerData,
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: maxMegabytes },
  });
  // Does not delay the service's exit.
  thread.unref();
  return new Promise<ThreadAnswer>((resolve, reject) => {
    const timer = setTimeout(() => {
      resolve(refused(`rendering did not finish within ${limitMs / 1_000} s`));
      void thread.terminate();
    }, limitMs);
    timer.unref();
    thread.once('message', resolve);
    thread.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ERR_WORKER_OUT_OF_MEMORY')
        resolve(refused(`it takes more than ${maxMegabytes} MB of memory`));
      else reject(error);
    });
    thread.once('exit', (code) => {
      clearTimeout(timer);
      reject(new Error(`the thread that renders the template ended with ${code}, without an answer`));
    });
  });
}

function refused(message: string): ThreadAnswer {
  return { kind: 'refused', message, line: null };
}
