// Who listens beside us, and goes on doing so. During a reload the master listens itself, forks, and closes again,
// before anybody has seen the new worker listed: that looks like a stranger for a moment, and is none.
import { setTimeout as sleep } from 'node:timers/promises';
import { childrenOf } from '../system/processes.ts';

/** Whoever is there for longer than this is no worker of ours that is just being made. */
const tries = 3;
const pauseMs = 100;

export interface OurProcesses {
  /** The workers that are known, and the master. */
  readonly pids: readonly number[];
  readonly masterPid: number | null;
}

/**
 * What `foreign` finds and goes on finding, with the master's children of each moment counted as ours.
 * @param foreign listeners on our addresses that none of the given processes holds
 */
export async function lastingForeigners<Listener>(
  { pids, masterPid }: OurProcesses,
  foreign: (pids: readonly number[]) => Promise<readonly Listener[]>,
  given: { readonly children: typeof childrenOf; readonly pause: (ms: number) => Promise<unknown> } = {
    children: childrenOf,
    pause: sleep,
  },
): Promise<readonly Listener[]> {
  let found = await foreign(pids);
  // Without a master nobody is making a worker.
  for (let tried = 0; found.length > 0 && masterPid !== null && tried < tries; tried += 1) {
    await given.pause(pauseMs);
    found = await foreign([...pids, ...(await given.children(masterPid))]);
  }
  return found;
}
