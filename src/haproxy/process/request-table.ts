// A stick table that counts requests by address.
import type { Deadline, MasterSocket } from '../socket/master-socket.ts';
import { showTable, TableListing } from './stick-table.ts';

export interface CountedAddress {
  readonly address: string;
  readonly requests: number;
  /** Until HAProxy forgets it; each request starts this time again. */
  readonly expiresInMs: number;
}

/**
 * Null: the configuration has no such table.
 * @param prefix `` on the stats socket, `@1 ` on the master's
 * @throws MasterSocketError, TableUnreadable
 */
export async function readRequestTable(
  socket: MasterSocket,
  prefix: '' | '@1 ',
  table: string,
  deadline: Deadline,
): Promise<readonly CountedAddress[] | null> {
  const conversation = await socket.converse(deadline, { reader: true });
  try {
    const addresses: CountedAddress[] = [];
    const listing = new TableListing(['http_req_cnt'], ({ key, expiresInMs, values: [requests = 0] }) =>
      addresses.push({ address: key, requests, expiresInMs }),
    );
    await conversation.streamLines(`${prefix}${showTable(table)}`, (lines) => listing.take(lines));
    return listing.end() === null ? null : addresses;
  } finally {
    conversation.close();
  }
}
