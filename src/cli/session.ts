import type { ApiClient } from '../client/client.ts';
import type { OwnAddress } from './connection/own-addresses.ts';
import { exitCodes, Failure } from './failure.ts';
import type { Interruption } from './interruption.ts';
import { harmless } from './output/harmless.ts';
import type { Output, OutputFormat } from './output/output.ts';

export interface Session {
  readonly api: ApiClient;
  /** Has a long time-out, for bulk changes and a sync. */
  readonly patientApi: ApiClient;
  readonly output: Output;
  readonly format: OutputFormat;
  readonly interruption: Interruption;
  readonly now: () => Date;
  readonly stdin: AsyncIterable<Uint8Array>;
  /** As the user gave it. */
  readonly url: string;
  readonly canAsk: boolean;
  /** A yes-or-no question; anything but y is no. Only if `canAsk`. */
  ask(question: string): Promise<boolean>;
  ownAddresses(): Promise<readonly OwnAddress[]>;
}

/** With `-o json` the answer unchanged. */
export async function printAnswer<Answer>(
  { format, output }: Pick<Session, 'format' | 'output'>,
  answer: Answer,
  linesOf: (answer: Answer) => readonly string[],
  escaped = harmless,
): Promise<void> {
  if (format === 'json') await output.json(answer);
  else await output.lines(linesOf(answer).map(escaped));
}

/**
 * Refuses without a terminal.
 * @param what the consequence
 * @param flag confirms without the question
 */
export async function confirm(session: Session, what: string, flag: string): Promise<void> {
  if (!session.canAsk) throw new Failure(`${what}; nothing was changed. To do it anyway, add ${flag}`);
  session.interruption.reports(() => 'nothing was changed');
  if (!(await session.ask(`${what}. Continue?`))) {
    throw new Failure('nothing was changed', { exitCode: exitCodes.failed });
  }
}
