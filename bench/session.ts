// Runs the rows one after the other, and stops everything at the end.
import { type Bench, type Pair, Spares, startPair } from './bench.ts';
import type { FailedRow, Figure } from './figures.ts';
import type { ProxyFacts } from './machine.ts';
import type { Options } from './options.ts';
import { rows, withServicesOfTheirOwn } from './rows.ts';
import { Started } from './started.ts';

export class Session {
  readonly results: (Figure | FailedRow)[] = [];
  readonly started = new Started();
  readonly #names: readonly string[];
  readonly #bench: Bench;
  #row = '';

  constructor(options: Options, proxy: ProxyFacts, say: (text: string) => void) {
    this.#names = Object.keys(rows).filter((name) => options.only?.includes(name) ?? true);
    this.#bench = this.#benchOf(options, proxy, (text) => say(`${this.#row}: ${text}`));
  }

  /** A row that fails is a line of the results; the next one is still run. */
  async run(stop: AbortSignal): Promise<void> {
    const stopped = new Promise<'stopped'>((resolve) => {
      stop.addEventListener('abort', () => resolve('stopped'), { once: true });
    });
    for (const name of this.#names) {
      if (stop.aborted) return;
      this.#row = name;
      const ended = this.#runRow(name).catch((error: unknown) => {
        // Failures caused by the stop are no findings.
        if (!stop.aborted) this.results.push({ row: name, failed: causes(error) });
      });
      if ((await Promise.race([ended, stopped])) === 'stopped') return;
    }
  }

  async #runRow(name: string): Promise<void> {
    this.#bench.say('begins');
    const tellsPeak = !withServicesOfTheirOwn.has(name);
    const large = tellsPeak ? await this.#bench.large() : null;
    await large?.service.forgetPeak();
    for await (const figure of await rows[name]!(this.#bench)) this.results.push(figure);
    if (large === null) return;
    const { peak } = await large.service.memory();
    this.results.push({
      name: `memory, peak in ${name} at ${large.entries}`,
      value: peak,
      floor: null,
      unit: 'MB',
      goal: 500,
    });
  }

  #benchOf({ sizes, proxyBin, lists }: Options, proxy: ProxyFacts, say: (text: string) => void): Bench {
    let pairs: Promise<readonly Pair[]> | null = null;
    const fill = async (): Promise<readonly Pair[]> => {
      const filled: Pair[] = [];
      for (const entries of sizes) {
        say(`fills ${entries} entries`);
        filled.push(await startPair(bench, entries));
      }
      return filled;
    };
    const bench: Bench = {
      bin: proxyBin,
      proxy,
      started: this.started,
      lists,
      entries: sizes.at(-1)!,
      pairs: () => {
        pairs ??= fill();
        return pairs;
      },
      large: async () => (await bench.pairs()).at(-1)!,
      spares: new Spares(),
      say,
    };
    return bench;
  }
}

function causes(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : `${error.message}: ${causes(error.cause)}`;
}
