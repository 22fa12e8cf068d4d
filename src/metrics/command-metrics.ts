// How long the proxy takes for each command, and what came of those that it did not answer.
import { type CommandName, type CommandObserver, commandNames } from '../haproxy/socket/command-observer.ts';
import type { SocketFailureReason } from '../haproxy/socket/master-socket.ts';
import type { Instruments } from './instruments.ts';
import { seriesTable } from './series-table.ts';

/** Seconds. A lookup takes 0.1 ms, a `del map` on 2.6 up to 40 ms, a listing of a million 0.1 s, a reload one or two. */
const BUCKETS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

export class CommandMetrics implements CommandObserver {
  readonly #durations: Readonly<Record<CommandName, { observe(seconds: number): void }>>;
  readonly #failures;

  constructor(instruments: Instruments) {
    const durations = instruments.histogram(
      'command_duration_seconds',
      'Time from a command to its whole reply, on the proxy sockets.',
      BUCKETS,
      ['command'],
    );
    this.#durations = seriesTable(commandNames, (command) => {
      durations.zero({ command });
      return durations.labels(command);
    });
    this.#failures = instruments.counter(
      'command_failures_total',
      'Commands without a whole reply, and connections that could not be made. Refusals during a reload are among them.',
      ['command', 'reason'],
    );
  }

  answered(command: CommandName, milliseconds: number): void {
    this.#durations[command].observe(milliseconds / 1_000);
  }

  failed(command: CommandName | 'connect', reason: SocketFailureReason): void {
    this.#failures.inc({ command, reason });
  }
}
