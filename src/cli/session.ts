// What a verb works with once it is known where the service is and what may be asked of it.
import type { ApiClient } from '../client/client.ts';
import type { OwnAddress } from './connection/own-addresses.ts';
import { exitCodes, Failure } from './failure.ts';
import type { Interruption } from './interruption.ts';
import type { Output, OutputFormat } from './output/output.ts';

export interface Session {
  readonly api: ApiClient;
  /** For big changes, and what takes as long. */
  readonly patientApi: ApiClient;
  readonly output: Output;
  readonly format: OutputFormat;
  readonly interruption: Interruption;
  readonly now: () => Date;
  readonly stdin: AsyncIterable<Uint8Array>;
  /** As given, for a message. */
  readonly url: string;
  /** Somebody sits there and can answer. */
  readonly canAsk: boolean;
  /** A question that is answered by y or n; anything else is n. Only where `canAsk`. */
  ask(question: string): Promise<boolean>;
  ownAddresses(): Promise<readonly OwnAddress[]>;
}

/**
 * Asks where somebody can be asked; else refuses.
 * @param what is about to be done
 * @param flag does it without the question
 */
export async function confirm(session: Session, what: string, flag: string): Promise<void> {
  if (!session.canAsk) throw new Failure(`${what}; nothing was changed. ${flag} does it all the same`);
  session.interruption.reports(() => 'nothing was changed');
  if (!(await session.ask(`${what}. Do it all the same?`))) {
    throw new Failure('nothing was changed', { exitCode: exitCodes.failed });
  }
}
