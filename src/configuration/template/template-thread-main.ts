import { parentPort, workerData } from 'node:worker_threads';
import { renderTemplate, TemplateRefused } from './template-engine.ts';
import type { ThreadAnswer, ThreadTask } from './template-thread.ts';

const { template, scope } = workerData as ThreadTask;
parentPort?.postMessage(await rendered());

async function rendered(): Promise<ThreadAnswer> {
  try {
    return { kind: 'rendered', text: await renderTemplate(template, scope) };
  } catch (error) {
    if (error instanceof TemplateRefused) return { kind: 'refused', message: error.message, line: error.line };
    return { kind: 'failed', stack: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}
