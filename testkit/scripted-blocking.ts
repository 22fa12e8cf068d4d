// The blocking kit with a scripted master and stopped time: no deadline passes and no check runs unless a test lets it.
import { join } from 'node:path';
import { it } from 'vitest';
import type { ChallengesUsage } from '../src/blocking/challenge-set.ts';
import type { HttpsUsage } from '../src/blocking/https-set.ts';
import type { TrustUsage } from '../src/blocking/trusted-set.ts';
import type { UpstreamUsage } from '../src/blocking/upstream-set.ts';
import type { BlockingObservers } from '../src/service/blocking-parts.ts';
import { type BlockingKit, openBlocking, temporaryFolder } from './blocking.ts';
import { ScriptedMaster } from './scripted-master.ts';
import { type StoppedTime, stopTime } from './stop-time.ts';

export interface ScriptedBlocking {
  readonly master: ScriptedMaster;
  readonly kit: BlockingKit;
  readonly time: StoppedTime;
  /** Resumes time, stops both and removes their folder. */
  close(): Promise<void>;
}

export async function openScriptedBlocking(
  options: {
    readonly fastDeletes?: boolean;
    readonly observers?: BlockingObservers;
    readonly maxEntries?: number;
    readonly trustUsage?: TrustUsage;
    readonly upstreamUsage?: UpstreamUsage;
    /** As with a configuration that has upstreams. Default false. */
    readonly loadsUpstreams?: boolean;
    /** As with a configuration that serves TLS. Default false. */
    readonly loadsHttps?: boolean;
    readonly httpsUsage?: HttpsUsage;
    readonly loadsChallenges?: boolean;
    readonly challengesUsage?: ChallengesUsage;
    readonly challenges?: () => Promise<ReadonlyMap<string, string>>;
    readonly now?: () => Date;
  } = {},
): Promise<ScriptedBlocking> {
  const folder = await temporaryFolder();
  const blocked = join(folder.path, 'blocked.map');
  const files = ['', '.trusted', ...(options.loadsUpstreams === true ? ['.upstreams', '.proxy_protocol'] : [])];
  if (options.loadsHttps === true) files.push('.https_sites');
  if (options.loadsChallenges === true) files.push('.acme_challenges');
  const maps = Object.fromEntries(files.map((suffix) => [`${blocked}${suffix}`, []]));
  const master = new ScriptedMaster(join(folder.path, 'm.sock'), maps);
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

/** Provides both, checked once, and closes them afterwards. */
export const itScripted = it
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads its dependencies here: none
  .extend('scripted', async ({}, { onCleanup }) => {
    const scripted = await openScriptedBlocking();
    onCleanup(() => scripted.close());
    await scripted.kit.reconciler.check(true);
    return scripted;
  })
  .extend('master', ({ scripted }) => scripted.master)
  .extend('kit', ({ scripted }) => scripted.kit)
  .extend('time', ({ scripted }) => scripted.time);
