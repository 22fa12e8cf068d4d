// The blocking kit before a scripted master that holds both maps, empty, with the map file written. Time is stopped: no
// deadline passes, and nothing looks by itself, unless the test lets it.
import { join } from 'node:path';
import { it } from 'vitest';
import type { TrustUsage } from '../src/blocking/trusted-set.ts';
import type { BlockingObservers } from '../src/service/blocking-parts.ts';
import { type BlockingKit, openBlocking, temporaryFolder } from './blocking.ts';
import { ScriptedMaster } from './scripted-master.ts';
import { type StoppedTime, stopTime } from './stop-time.ts';

export interface ScriptedBlocking {
  readonly master: ScriptedMaster;
  readonly kit: BlockingKit;
  readonly time: StoppedTime;
  /** Lets time go on, stops both and removes their folder. */
  close(): Promise<void>;
}

export async function openScriptedBlocking(
  options: {
    readonly fastDeletes?: boolean;
    readonly observers?: BlockingObservers;
    readonly maxEntries?: number;
    readonly trustUsage?: TrustUsage;
    readonly now?: () => Date;
  } = {},
): Promise<ScriptedBlocking> {
  const folder = await temporaryFolder();
  const blocked = join(folder.path, 'blocked.map');
  const master = new ScriptedMaster(join(folder.path, 'm.sock'), { [blocked]: [], [`${blocked}.trusted`]: [] });
  await master.listen();
  const kit = await openBlocking({ folder: folder.path, masterSocket: master.path, ...options });
  await kit.keeper.updateBlockedIpsMap();
  const time = stopTime();
  return {
    master,
    kit,
    time,
    close: async () => {
      time[Symbol.dispose]();
      await kit.close();
      await master.stop();
      await folder.remove();
    },
  };
}

/** A test that is given both, looked at once already, and after which they are closed. */
export const itScripted = it
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads here what it needs, which is nothing
  .extend('scripted', async ({}, { onCleanup }) => {
    const scripted = await openScriptedBlocking();
    onCleanup(() => scripted.close());
    await scripted.kit.reconciler.check(true);
    return scripted;
  })
  .extend('master', ({ scripted }) => scripted.master)
  .extend('kit', ({ scripted }) => scripted.kit)
  .extend('time', ({ scripted }) => scripted.time);
