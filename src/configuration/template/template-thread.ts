// Renders a template of an operator's own in a thread of its own: what loops without end in it, or takes all memory,
// holds up nothing else, and is ended. A thread is made for one render only.
import { Worker } from 'node:worker_threads';
import type { TemplateScope } from './render-scope.ts';
import { TemplateRefused, templateLimits } from './template-engine.ts';

/** What the thread tells, once. */
export type ThreadAnswer =
  | { readonly kind: 'rendered'; readonly text: string }
  | { readonly kind: 'refused'; readonly message: string; readonly line: number | null }
  | { readonly kind: 'failed'; readonly stack: string };

export interface ThreadTask {
  readonly template: string;
  readonly scope: TemplateScope;
}

/** The engine gives up by itself at its limit, and names a line then; this is for one that does not come to that. */
const graceMs = 2_000;
const mostMegabytes = 1_024;

/**
 * As `renderTemplate` of the engine, which it calls in the thread.
 * @throws TemplateRefused, also for one that was ended
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
  // Run as it is written, or compiled.
  const main = import.meta.url.endsWith('.ts') ? './template-thread-main.ts' : './template-thread-main.js';
  const thread = new Worker(new URL(main, import.meta.url), {
    workerData,
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: mostMegabytes },
  });
  // A service that ends does not wait for it.
  thread.unref();
  return new Promise<ThreadAnswer>((resolve, reject) => {
    const timer = setTimeout(() => {
      resolve(refused(`it was not rendered within ${limitMs / 1_000} s`));
      void thread.terminate();
    }, limitMs);
    timer.unref();
    thread.once('message', resolve);
    thread.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ERR_WORKER_OUT_OF_MEMORY')
        resolve(refused(`it takes more than ${mostMegabytes} MB of memory`));
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
