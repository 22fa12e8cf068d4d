import type { BlockRequest } from '../../api/blocked-entries.ts';
import type { BatchQuery } from '../../api/blocked-ips-bulk.ts';
import type { IpEntry } from '../../domain/ip.ts';
import type { ExitCode } from '../failure.ts';
import type { Session } from '../session.ts';
import { type Batch, typedBatches } from './batches.ts';
import type { ElementDefaults } from './elements.ts';
import { changeMany } from './requests.ts';
import { sendBatches, sendList } from './send.ts';
import { openSource } from './source.ts';
import { printBulkResult } from './text.ts';

interface ListedChanges {
  /** The operands of the command; null: a list on standard input. */
  readonly entries: readonly IpEntry[] | null;
  readonly defaults: ElementDefaults;
  readonly query: BatchQuery;
  readonly change: (batch: Batch) => {
    readonly add?: readonly (string | BlockRequest)[];
    readonly remove?: readonly string[];
  };
}

/** Sends any number of addresses in batches. To be imported on use: a command for one address needs none of it. */
export async function changeListed(
  session: Session,
  { entries, defaults, query, change }: ListedChanges,
): Promise<ExitCode> {
  const send = (batch: Batch) => changeMany(session, change(batch), query);
  if (entries === null) {
    const source = await openSource('-', session.stdin);
    return await printBulkResult(session, source.name, await sendList(session, source, null, defaults, send));
  }
  const batches = typedBatches(entries, defaults);
  return await printBulkResult(session, '', await sendBatches(session, { name: 'the list' }, batches, send));
}
