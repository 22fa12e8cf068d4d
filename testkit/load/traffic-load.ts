// The load generator, a process of its own: the bench cannot delay its clock. Over the channel of `fork`, `begin` with
// a plan is answered by `running`, `end` by the `report`.
import { spawnSync } from 'node:child_process';
import { setPriority } from 'node:os';
import { type LoadPlan, type LoadReport, OpenLoop } from './traffic-schedule.ts';

export type LoadOrder = { readonly kind: 'begin'; readonly plan: LoadPlan } | { readonly kind: 'end' };
export type LoadAnswer =
  | { readonly kind: 'running' }
  | { readonly kind: 'report'; readonly report: LoadReport }
  | { readonly kind: 'failed'; readonly message: string };

/** Raises its priority if allowed (root only): late less often, not never (10 ms were seen); reports say how late. */
function raisePriority(): void {
  const realTime = spawnSync('chrt', ['--all-tasks', '--fifo', '--pid', '1', String(process.pid)]);
  if (realTime.status === 0) return;
  try {
    setPriority(-10);
  } catch (error) {
    if (!['EACCES', 'EPERM'].includes((error as { info?: NodeJS.ErrnoException }).info?.code ?? '')) throw error;
  }
}

let loop: OpenLoop | null = null;

async function obey(order: LoadOrder): Promise<LoadAnswer> {
  if (order.kind === 'begin') {
    if (loop !== null) throw new Error('a load runs already');
    const begun = new OpenLoop(order.plan);
    await begun.start();
    loop = begun;
    return { kind: 'running' };
  }
  if (loop === null) throw new Error('no load runs');
  const ending = loop;
  loop = null;
  return { kind: 'report', report: await ending.stop() };
}

raisePriority();
process.on('message', (order: LoadOrder) => {
  obey(order)
    .catch((error: unknown): LoadAnswer => ({ kind: 'failed', message: String(error) }))
    .then((answer) => process.send?.(answer));
});
process.once('disconnect', () => process.exit());
