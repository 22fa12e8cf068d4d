// Uses the service through its own command line, like an operator.
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Health as HealthReport } from '../api/health.ts';
import type { Settings } from '../settings.ts';
import { CannotAttach } from './facts.ts';
import type { Host } from './host.ts';

/** A worker that loads a large map takes some seconds. */
const timeoutMs = 30_000;
const pollMs = 250;
/** Exit code: some rejected, or degraded. */
const partly = 3;

interface ServiceCommandDeps {
  readonly host: Host;
  readonly root: string;
  readonly settings: Pick<Settings, 'listen'>;
}

export class ServiceCommand {
  readonly #host: Host;
  readonly #program: string;
  readonly #url: string;

  constructor({ host, root, settings }: ServiceCommandDeps) {
    const { listen } = settings;
    this.#host = host;
    this.#program = join(root, 'bin/proxy-manager');
    this.#url = 'path' in listen.target ? listen.text : `http://${listen.text}`;
  }

  /** @returns its output. @throws CannotAttach */
  async run(...words: readonly string[]): Promise<string> {
    return await this.#runWith('', words);
  }

  /** One address per line. @returns the output, and whether every line was accepted */
  async importList(list: string, reason: string): Promise<{ readonly output: string; readonly isComplete: boolean }> {
    const output = await this.#runWith(list, ['import', '-', '--format', 'list', '--reason', reason]);
    return { output, isComplete: /, 0 rejected$/m.test(output) };
  }

  async #runWith(input: string, words: readonly string[]): Promise<string> {
    const ran = await this.#host.runWith(input, this.#program, '--url', this.#url, ...words);
    const output = `${ran.output}${ran.complaints}`.trim();
    if (ran.exitCode === 0 || ran.exitCode === partly) return output;
    throw new CannotAttach(`proxy-manager ${words.join(' ')}: ${output}`);
  }

  async health(): Promise<HealthReport> {
    const { output, complaints } = await this.#host.run(this.#program, '--url', this.#url, 'status', '-o', 'json');
    try {
      return JSON.parse(output) as HealthReport;
    } catch (cause) {
      throw new CannotAttach(`the service does not answer: ${complaints}${output}`.trim(), { cause });
    }
  }

  /** The first that satisfies the condition, or the last one. */
  async healthOnce(isRight: (health: HealthReport) => boolean): Promise<HealthReport> {
    const until = performance.now() + timeoutMs;
    for (;;) {
      const health = await this.health();
      if (isRight(health) || performance.now() >= until) return health;
      await sleep(pollMs);
    }
  }

  async block(ip: string): Promise<void> {
    await this.run('block', ip, '--for', '2m', '--reason', 'proxy-manager attach proves that blocks are enforced');
  }

  async unblock(ip: string): Promise<void> {
    await this.run('unblock', ip);
  }
}
