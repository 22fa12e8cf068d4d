// Its own HAProxy, and the process that does the raw work on it.

import { join } from 'node:path';
import { processAlive, processStartTime } from '../src/system/processes.ts';
import { eventually } from '../testkit/conditions.ts';
import { PartProcess } from '../testkit/load/calls.ts';
import { RealProxy } from '../testkit/real-proxy.ts';
import { startPollMs, timed } from './clock.ts';
import type { FloorCalls } from './floor-process.ts';

export class Floor {
  readonly proxy: RealProxy;
  readonly raw: PartProcess<FloorCalls>;

  private constructor(proxy: RealProxy, raw: PartProcess<FloorCalls>) {
    this.proxy = proxy;
    this.raw = raw;
  }

  static async start(bin: string, deletesScan: boolean): Promise<Floor> {
    const proxy = await RealProxy.start(bin);
    const floor = new Floor(proxy, new PartProcess<FloorCalls>(join(import.meta.dirname, 'floor-process.ts')));
    const { folder, masterSocket, blockedMap: map } = proxy.paths;
    try {
      await floor.raw.call('open', { folder, masterSocket, map, deletesScan });
    } catch (error) {
      await floor.stop();
      throw error;
    }
    return floor;
  }

  /** Milliseconds of HAProxy's own start with the map file, until it accepts. */
  async restartProxy(): Promise<number> {
    await this.raw.call('writeMapFile');
    const family = [this.proxy.masterPid, await this.proxy.workerPid()];
    const started = await Promise.all(family.map(async (pid) => ({ pid, startTime: await processStartTime(pid) })));
    for (const { pid } of started) process.kill(pid, 'SIGKILL');
    for (const { pid, startTime } of started) {
      await eventually('HAProxy is gone', async () => !(await processAlive(pid, startTime)));
    }
    return await timed(() => this.proxy.launch(startPollMs));
  }

  async reload(): Promise<number> {
    await this.raw.call('writeMapFile');
    return await timed(() => this.proxy.reload());
  }

  async stop(): Promise<void> {
    await this.raw.stop();
    await this.proxy.stop();
  }
}
