// The stack under attack. It is kept from round to round, so that its state ages.
import { processAlive } from '../src/system/processes.ts';
import { settableClock } from '../testkit/clock.ts';
import { RealService } from '../testkit/real-service.ts';
import { startUpstream, type Upstream } from '../testkit/upstream.ts';
import type { Stack } from './fault.ts';
import { onOwnDisk } from './faults/surroundings.ts';

/** Replaced workers and orphans are gone this long after. */
export const hardStopSeconds = 10;

export class ChaosStack implements Stack {
  readonly service: RealService;
  readonly bin: string;
  readonly upstream: Upstream;
  #relaunching: Promise<void> | null = null;
  #launches = 0;

  private constructor(service: RealService, bin: string, upstream: Upstream) {
    this.service = service;
    this.bin = bin;
    this.upstream = upstream;
  }

  static async start(bin: string): Promise<ChaosStack> {
    const upstream = await startUpstream('upstream');
    try {
      const environment = { PROXY_MANAGER_HARD_STOP_AFTER: `${hardStopSeconds}s`, ...settableClock };
      return new ChaosStack(await RealService.start({ bin, environment, before: onOwnDisk }), bin, upstream);
    } catch (error) {
      await upstream.stop();
      throw error;
    }
  }

  /** How often the service was started again. */
  get launches(): number {
    return this.#launches;
  }

  async serviceRuns(): Promise<boolean> {
    return await processAlive(this.service.pid, null);
  }

  /** Two faults that ask at once share one start. */
  relaunch(environment: Readonly<Record<string, string>> = {}): Promise<void> {
    this.#relaunching ??= this.#relaunch(environment).finally(() => {
      this.#relaunching = null;
    });
    return this.#relaunching;
  }

  async stop(): Promise<void> {
    await this.service.stop();
    await this.upstream.stop();
  }

  async #relaunch(environment: Readonly<Record<string, string>>): Promise<void> {
    while (!(await this.serviceRuns())) {
      this.#launches += 1;
      try {
        await this.service.launch(environment);
      } catch (error) {
        // Another fault killed it while it started; then it is simply started again. Not where the environment may have.
        if (Object.keys(environment).length > 0 || (await this.service.ended(0)).signal === null) throw error;
      }
    }
  }
}
