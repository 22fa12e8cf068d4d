// A stick table that counts requests by address: `show table NAME`.
import type { Deadline, MasterSocket } from '../socket/master-socket.ts';

export interface CountedAddress {
  readonly address: string;
  readonly requests: number;
  /** Until HAProxy forgets it; each request starts this time again. */
  readonly expiresInMs: number;
}

export class TableUnreadable extends Error {
  override readonly name = 'TableUnreadable';
}

const noSuchTable = 'No such table';

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
    const lines: string[] = [];
    await conversation.streamLines(`${prefix}show table ${table}`, (some) => {
      lines.push(...some);
    });
    return parseRequestTable(lines);
  } finally {
    conversation.close();
  }
}

/** @throws TableUnreadable */
export function parseRequestTable([header = '', ...lines]: readonly string[]): readonly CountedAddress[] | null {
  if (header.startsWith(noSuchTable)) return null;
  if (!header.startsWith('# table: ')) throw unreadable(header);
  return lines.filter((line) => line !== '').map(parseLine);
}

/** `0x7f5: key=::ffff:10.0.3.7 use=0 exp=86399000 shard=0 http_req_cnt=3`; 2.6 has no shard. */
function parseLine(line: string): CountedAddress {
  const [, address, expiry, requests] =
    /^0x[0-9a-f]+: key=(\S+) use=\d+ exp=(\d+) (?:\S+ )*http_req_cnt=(\d+)$/.exec(line) ?? [];
  if (address === undefined) throw unreadable(line);
  return { address, requests: Number(requests), expiresInMs: Number(expiry) };
}

function unreadable(line: string): TableUnreadable {
  return new TableUnreadable(`the reply is no table of requests: ${JSON.stringify(line.slice(0, 80))}`);
}
