// Runs with the same flags of Node as the service.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PartProcess } from '../testkit/load/calls.ts';
import type { EmptyHandlerCalls } from './empty-handler-process.ts';

export class EmptyHandler {
  readonly #process: PartProcess<EmptyHandlerCalls>;
  readonly port: number;

  private constructor(process: PartProcess<EmptyHandlerCalls>, port: number) {
    this.#process = process;
    this.port = port;
  }

  static async start(): Promise<EmptyHandler> {
    const process = new PartProcess<EmptyHandlerCalls>(
      join(import.meta.dirname, 'empty-handler-process.ts'),
      launcherFlags(),
    );
    try {
      return new EmptyHandler(process, await process.call('listen'));
    } catch (error) {
      await process.stop();
      throw error;
    }
  }

  stop(): Promise<void> {
    return this.#process.stop();
  }
}

/** From `bin/proxy-manager`: `exec "$node" <flags> "$program"`. */
export function launcherFlags(): string[] {
  const launcher = readFileSync(join(import.meta.dirname, '../bin/proxy-manager'), 'utf8');
  const flags = /^exec "\$node" (.*?) ?"\$program"/m.exec(launcher)?.[1];
  if (flags === undefined) throw new Error('bin/proxy-manager: no line that execs $node with $program');
  return flags.split(' ').filter((flag) => flag !== '');
}
