import { Option } from 'commander';
import type { ListedIp, ListQuery } from '../../api/blocked-entries.ts';
import { count, counted } from '../../domain/counted.ts';
import { claimFilterOf } from '../claim-source.ts';
import type { CommandLine } from '../command-line.ts';
import { entryFilterOf, entryFilterOptions } from '../entry-filter.ts';
import { durationOf } from '../expiry-options.ts';
import { type ExitCode, exitCodes, usageError } from '../failure.ts';
import { readPages, writePages } from '../output/pages.ts';
import type { Column } from '../output/table.ts';
import { fromNow } from '../output/times.ts';
import type { Session } from '../session.ts';
import { type Options, Verb, wholeNumber } from '../verb.ts';

const maxLimit = 1_000_000_000;

export function listVerb(cli: CommandLine): Verb {
  const verb = entryFilterOptions(new Verb('list', 'list blocked addresses and networks'), 'only entries')
    .argument(
      '[query]',
      'an address or network (lists the entries that cover it), or the beginning of one such as 192.0.',
    )
    .option('--text <part>', 'only entries with this text in the reason or in who blocked it, ignoring case')
    .option('--source <name>', 'only what this source claims')
    .option('--reason <text>', 'only what is claimed with exactly this reason')
    .option('--blocked-by <name>', 'only what exactly this name blocked')
    .option('--never-matched <duration>', 'only what denied no request for so long, such as 90d')
    .option('--hit-within <duration>', 'only what denied a request in this time, such as 24h')
    .option('--expiring', 'only temporary blocks')
    .addOption(
      new Option('--sort <field>', 'the order; default: address').choices([
        'address',
        'blocked_at',
        'expires_at',
        'hits',
        'last_hit',
      ]),
    )
    .option('--desc', 'in the reverse order')
    .option('-n, --limit <count>', 'maximum number of entries')
    .example('list', 'all entries, as a table')
    .example('list 192.0.2.7', 'the entries that cover this address')
    .example('list --text "port scan"', 'entries with this text in the reason or in who blocked it')
    .example('list --expiring --sort expires_at -n 20', 'the next twenty to expire')
    .example('list --sort blocked_at --desc --blocked-since 24h', 'what was blocked in the last day, the newest first')
    .example('list --source drop --never-matched 90d', 'the entries of a list that are of no use')
    .example('list --sort hits --desc --hit-within 24h -n 20', 'the entries that denied most in the last 24 hours')
    .example('list --source drop --wider-than 16', 'the wide networks of a list')
    .example(
      'list 10. | cut -f1',
      'in a pipe, fields are separated by tabs: address, expiry, reason, who blocked it, since when',
    )
    .example("list -o json | jq -r '.items[].ip_address'", 'for a program');
  return cli.calling(verb, list);
}

export async function list(session: Session, [query]: readonly string[], options: Options): Promise<ExitCode> {
  const { limit, expiring, text, sort, desc, hitWithin } = options as {
    readonly limit?: string;
    readonly expiring?: boolean;
    readonly text?: string;
    readonly sort?: NonNullable<ListQuery['sort']>;
    readonly desc?: boolean;
    readonly hitWithin?: string;
  };
  if (query !== undefined && text !== undefined) {
    throw usageError('search for an address or, with --text, for a reason or who blocked it; give one of them');
  }
  const of = claimFilterOf(options);
  const selected = {
    ...entryFilterOf(options),
    ...(sort !== undefined && { sort }),
    ...(hitWithin !== undefined && { hit_within: hitWithinOf(hitWithin) }),
    ...(desc === true && { order: 'desc' as const }),
  };
  const ofColumns = Object.keys(selected).length > 0;
  if ((ofColumns || Object.keys(of).length > 0) && (query !== undefined || text !== undefined)) {
    throw usageError('a query or --text can be combined with --expiring and --limit only');
  }
  const ofTexts = of.reason !== undefined || of.blocked_by !== undefined || of.not_hit_for !== undefined;
  if ((ofColumns || expiring === true) && ofTexts) {
    throw usageError('--reason, --blocked-by and --never-matched can be combined with --source and --limit only');
  }
  const maximum = limit === undefined ? maxLimit : wholeNumber(limit, '--limit', 1, maxLimit);
  const pages = listPages(session, maximum, {
    ...(query !== undefined && { q: query }),
    ...(text !== undefined && { text }),
    ...(expiring === true && { expiring: true }),
    ...of,
    ...selected,
  });
  if (session.format !== 'json')
    return await asText(
      session,
      pages,
      hitWithin !== undefined || sort === 'hits' || sort === 'last_hit',
      ofColumns || [query, text, ...Object.values(of)].some((one) => one !== undefined),
    );
  await writePages(session.output, pages);
  return exitCodes.done;
}

interface ListPage {
  readonly items: readonly ListedIp[];
  readonly next_cursor: string | null;
  readonly total: number;
}

export function listPages(
  { api, output }: Pick<Session, 'api' | 'output'>,
  limit: number,
  query: Partial<Omit<ListQuery, 'limit' | 'cursor' | 'offset'>> = {},
): AsyncGenerator<ListPage> {
  return readPages(output, limit, async (range): Promise<ListPage> => {
    const { data } = await api.GET('/api/blocked-ips', { params: { query: { ...query, ...range } } });
    return data;
  });
}

async function asText(
  { output, now }: Session,
  pages: AsyncIterable<ListPage>,
  withHits: boolean,
  isPart: boolean,
): Promise<ExitCode> {
  const show = output.rows([...listColumns(now()), ...(withHits ? hitColumns(now()) : [])]);
  let shown = 0;
  let total = 0;
  for await (const page of pages) {
    if (page.items.length > 0) await show(page.items);
    shown += page.items.length;
    total = page.total;
  }
  if (output.isTerminal && !output.closed) {
    if (shown === 0) await output.lines([isPart ? 'no matching entries' : 'no entries']);
    else if (shown < total) {
      output.remark(output.paintRemark('dim', `${count(shown)} of ${counted(total, 'entry', 'entries')}`));
    }
  }
  return exitCodes.done;
}

function hitWithinOf(text: string): string {
  durationOf(text, '--hit-within');
  return text;
}

/** Null is not known, and not 0. */
export function hitColumns(now: Date): readonly Column<ListedIp>[] {
  return [
    {
      title: 'DENIED 24H',
      text: ({ hits }) => (hits?.last_24h == null ? '?' : count(hits.last_24h)),
      plain: ({ hits }) => String(hits?.last_24h ?? ''),
    },
    {
      title: 'LAST',
      text: ({ hits }) => (hits?.last_hit == null ? '' : fromNow(hits.last_hit, now)),
      plain: ({ hits }) => hits?.last_hit ?? '',
    },
  ];
}

function listColumns(now: Date): readonly Column<ListedIp>[] {
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
