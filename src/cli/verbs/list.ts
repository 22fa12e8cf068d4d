// `list`: what is blocked, page by page, as much of it as there is.

import type { BlockedIp, ListQuery } from '../../api/blocked-ips.ts';
import { type ExitCode, exitCodes, misused } from '../failure.ts';
import { writePages } from '../output/pages.ts';
import type { Column } from '../output/table.ts';
import { count, counted, fromNow } from '../output/times.ts';
import type { Session } from '../session.ts';
import { Verb, wholeNumber } from '../verb.ts';

const pageSize = 1000;
const mostListed = 1_000_000_000;

export function listVerb(): Verb {
  return new Verb('list', 'list what is blocked')
    .argument('[query]', 'an address or network (also what holds it), or the begin of one such as 192.0.')
    .option('--text <part>', 'only with this in the reason or in who blocked it, in upper or lower case')
    .option('--expiring', 'only what ends by itself, the next to end first')
    .option('-n, --limit <count>', 'at most so many')
    .example('list', 'everything, as a table')
    .example('list 192.0.2.7', 'what holds this address')
    .example('list --text "port scan"', 'what was blocked for that, or by somebody of that name')
    .example('list --expiring -n 20', 'the next twenty that end')
    .example('list 10. | cut -f1', 'in a pipe: address, end, reason, who, since; tabs between')
    .example("list -o json | jq -r '.items[].ip_address'", 'for a program') as Verb;
}

export async function list(
  session: Session,
  [query]: readonly string[],
  options: Readonly<Record<string, unknown>>,
): Promise<ExitCode> {
  const { limit, expiring, text } = options as {
    readonly limit?: string;
    readonly expiring?: boolean;
    readonly text?: string;
  };
  if (query !== undefined && text !== undefined) {
    throw misused('an address is looked for, or what stands in reasons with --text; give one of them');
  }
  const most = limit === undefined ? mostListed : wholeNumber(limit, '--limit', 1, mostListed);
  const pages = listPages(session, most, {
    ...(query !== undefined && { q: query }),
    ...(text !== undefined && { text }),
    ...(expiring === true && { expiring: true }),
  });
  if (session.format !== 'json') return await asText(session, pages, query ?? text);
  await writePages(session.output, pages, ({ next, total }) => ({ next_cursor: next, total }));
  return exitCodes.done;
}

interface ListPage {
  readonly items: readonly BlockedIp[];
  readonly next: string | null;
  readonly total: number;
}

/** Ends when nobody reads any more. */
export async function* listPages(
  { api, output }: Pick<Session, 'api' | 'output'>,
  most: number,
  query: Pick<ListQuery, 'q' | 'text' | 'expiring'> = {},
): AsyncGenerator<ListPage> {
  let left = most;
  let cursor: string | null = null;
  do {
    const wanted: ListQuery = { ...query, limit: Math.min(left, pageSize), ...(cursor !== null && { cursor }) };
    const { data: page }: { data: { items: readonly BlockedIp[]; next_cursor: string | null; total: number } } =
      await api.GET('/api/blocked-ips', { params: { query: wanted } });
    yield { items: page.items, next: page.next_cursor, total: page.total };
    left -= page.items.length;
    cursor = page.next_cursor;
  } while (cursor !== null && left > 0 && !output.closed);
}

async function asText(
  { output, now }: Session,
  pages: AsyncIterable<ListPage>,
  query: string | undefined,
): Promise<ExitCode> {
  const show = output.rows(listColumns(now()));
  let shown = 0;
  let total = 0;
  for await (const page of pages) {
    if (page.items.length > 0) await show(page.items);
    shown += page.items.length;
    total = page.total;
  }
  if (output.isTerminal && !output.closed) {
    if (shown === 0) await output.lines([query === undefined ? 'nothing is blocked' : 'nothing that fits is blocked']);
    else if (shown < total) {
      output.remark(output.paintRemark('quiet', `${count(shown)} of ${counted(total, 'entry', 'entries')}`));
    }
  }
  return exitCodes.done;
}

export function listColumns(now: Date): readonly Column<BlockedIp>[] {
  return [
    { title: 'ADDRESS', text: ({ ip_address: ip }) => ip },
    {
      title: 'ENDS',
      text: ({ expires_at: end }) => (end === null ? 'never' : fromNow(end, now)),
      plain: ({ expires_at: end }) => end ?? '',
    },
    { title: 'REASON', text: ({ reason }) => reason ?? '', mayShrink: true },
    { title: 'BY', text: ({ blocked_by: by }) => by ?? '', mayShrink: true },
    {
      title: 'SINCE',
      text: ({ blocked_at: since }) => fromNow(since, now),
      plain: ({ blocked_at: since }) => since,
    },
  ];
}
