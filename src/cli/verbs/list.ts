import type { BlockedIp, ListQuery } from '../../api/blocked-entries.ts';
import { claimFilterOf } from '../claim-source.ts';
import type { CommandLine } from '../command-line.ts';
import { type ExitCode, exitCodes, usageError } from '../failure.ts';
import { readPages, writePages } from '../output/pages.ts';
import type { Column } from '../output/table.ts';
import { count, counted, fromNow } from '../output/times.ts';
import type { Session } from '../session.ts';
import { type Options, Verb, wholeNumber } from '../verb.ts';

const maxLimit = 1_000_000_000;

export function listVerb(cli: CommandLine): Verb {
  const verb = new Verb('list', 'list blocked addresses and networks')
    .argument(
      '[query]',
      'an address or network (lists the entries that cover it), or the beginning of one such as 192.0.',
    )
    .option('--text <part>', 'only entries with this text in the reason or in who blocked it, ignoring case')
    .option('--source <name>', 'only what this source claims')
    .option('--reason <text>', 'only what is claimed with exactly this reason')
    .option('--blocked-by <name>', 'only what exactly this name blocked')
    .option('--expiring', 'only temporary blocks, the next to expire first')
    .option('-n, --limit <count>', 'maximum number of entries')
    .example('list', 'all entries, as a table')
    .example('list 192.0.2.7', 'the entries that cover this address')
    .example('list --text "port scan"', 'entries with this text in the reason or in who blocked it')
    .example('list --expiring -n 20', 'the next twenty to expire')
    .example(
      'list 10. | cut -f1',
      'in a pipe, fields are separated by tabs: address, expiry, reason, who blocked it, since when',
    )
    .example("list -o json | jq -r '.items[].ip_address'", 'for a program');
  return cli.calling(verb, list);
}

export async function list(session: Session, [query]: readonly string[], options: Options): Promise<ExitCode> {
  const { limit, expiring, text } = options as {
    readonly limit?: string;
    readonly expiring?: boolean;
    readonly text?: string;
  };
  if (query !== undefined && text !== undefined) {
    throw usageError('search for an address or, with --text, for a reason or who blocked it; give one of them');
  }
  const of = claimFilterOf(options);
  if (Object.keys(of).length > 0 && (query !== undefined || text !== undefined || expiring === true)) {
    throw usageError('--source, --reason and --blocked-by cannot be combined with a query, --text or --expiring');
  }
  const maximum = limit === undefined ? maxLimit : wholeNumber(limit, '--limit', 1, maxLimit);
  const pages = listPages(session, maximum, {
    ...(query !== undefined && { q: query }),
    ...(text !== undefined && { text }),
    ...(expiring === true && { expiring: true }),
    ...of,
  });
  if (session.format !== 'json') return await asText(session, pages, query ?? text ?? Object.values(of)[0]);
  await writePages(session.output, pages);
  return exitCodes.done;
}

interface ListPage {
  readonly items: readonly BlockedIp[];
  readonly next_cursor: string | null;
  readonly total: number;
}

export function listPages(
  { api, output }: Pick<Session, 'api' | 'output'>,
  limit: number,
  query: Pick<ListQuery, 'q' | 'text' | 'expiring' | 'source' | 'reason' | 'blocked_by'> = {},
): AsyncGenerator<ListPage> {
  return readPages(output, limit, async (range): Promise<ListPage> => {
    const { data } = await api.GET('/api/blocked-ips', { params: { query: { ...query, ...range } } });
    return data;
  });
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
    if (shown === 0) await output.lines([query === undefined ? 'no entries' : 'no matching entries']);
    else if (shown < total) {
      output.remark(output.paintRemark('dim', `${count(shown)} of ${counted(total, 'entry', 'entries')}`));
    }
  }
  return exitCodes.done;
}

function listColumns(now: Date): readonly Column<BlockedIp>[] {
  return [
    { title: 'ADDRESS', text: ({ ip_address: ip }) => ip },
    {
      title: 'EXPIRES',
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
