import { Argument } from 'commander';
import type { ListedIp } from '../../api/blocked-entries.ts';
import type { Candidate, KnockingAddress } from '../../api/insight-records.ts';
import { pause } from '../../concurrency/pause.ts';
import { count, counted } from '../../domain/counted.ts';
import type { CommandLine } from '../command-line.ts';
import { durationOf } from '../expiry-options.ts';
import { type ExitCode, exitCodes, usageError } from '../failure.ts';
import type { Column } from '../output/table.ts';
import { fromNow } from '../output/times.ts';
import type { Session } from '../session.ts';
import { type Options, Verb, wholeNumber } from '../verb.ts';
import { hitColumns } from './list.ts';

const whats = ['blocked', 'entries', 'clients', 'sources', 'sites'] as const;
type What = (typeof whats)[number];

const mostRows = 1_000;
const watchEveryMs = 10_000;
/** Clears a terminal. */
const clear = '\u001b[H\u001b[2J';

export function topVerb(cli: CommandLine): Verb {
  const verb = new Verb('top', 'show what is denied most')
    .addArgument(
      new Argument(
        '[what]',
        'blocked: addresses that are denied (default); entries: entries that deny; clients: loud clients that are not blocked; sources; sites',
      ).choices(whats),
    )
    .option('--range <duration>', 'how far back: 1h to 400d', '24h')
    .option('-n, --limit <count>', 'maximum number of rows', '20')
    .option('--watch', 'show it again every ten seconds')
    .example('top', 'the addresses that were denied most in the last 24 hours')
    .example('top entries', 'the blocked addresses and networks that denied most in the last 24 hours')
    .example('top sources --range 30d', 'what each source denied')
    .example('top clients --watch', 'who is loud and not blocked, every ten seconds');
  return cli.calling(verb, top);
}

interface SumRow {
  readonly name: string;
  readonly denied: number;
}

async function top(session: Session, [what = 'blocked']: readonly string[], options: Options): Promise<ExitCode> {
  const { range, limit, watch } = options as {
    readonly range: string;
    readonly limit: string;
    readonly watch?: boolean;
  };
  durationOf(range, '--range');
  if (what === 'entries' && range !== '24h') throw usageError('entries are counted for 24 hours; leave out --range');
  const rows = wholeNumber(limit, '--limit', 1, mostRows);
  const { output, format } = session;
  if (watch === true && format === 'json') throw usageError('--watch shows text; leave out -o json');
  for (;;) {
    if (watch === true && output.isTerminal) await output.lines([clear]);
    await show(session, what as What, range, rows);
    if (watch !== true || output.closed) return exitCodes.done;
    await pause(watchEveryMs);
  }
}

async function show(session: Session, what: What, range: string, limit: number): Promise<void> {
  if (what === 'clients') await clients(session, limit);
  else if (what === 'entries') await entries(session, limit);
  else if (what === 'sources') await sources(session, range, limit);
  else if (what === 'sites') await sites(session, range, limit);
  else await blocked(session, range, limit);
}

async function blocked({ api, output, format, now }: Session, range: string, limit: number): Promise<void> {
  const { data: page } = await api.GET('/api/insight/knocking', { params: { query: { range, limit } } });
  if (format === 'json') return await output.json(page);
  const columns: readonly Column<KnockingAddress>[] = [
    number(`DENIED ${range}`, ({ hits }) => hits),
    { title: 'LAST', text: ({ last_hit: at }) => fromNow(at, now()), plain: ({ last_hit: at }) => at },
    { title: 'ADDRESS', text: ({ ip_address: ip }) => ip },
    { title: 'ENTRY', text: ({ entry }) => entry ?? 'none' },
    { title: 'SOURCE', text: ({ source }) => source ?? '', mayShrink: true },
  ];
  await output.rows(columns)(page.items);
  const { data: all } = await api.GET('/api/insight', { params: { query: { range } } });
  if (output.isTerminal) output.remark(output.paintRemark('dim', summaryLine(all)));
}

/** `1,284,902 denied, 6.4 % of all requests. 0.4 % not attributed.` */
export function summaryLine({
  denied,
  requests,
  not_attributed: open,
}: {
  readonly denied: number | null;
  readonly requests: number | null;
  readonly not_attributed: number | null;
}): string {
  if (denied === null) return 'Nothing is known of this time.';
  const ofAll = requests === null || requests === 0 ? '' : `, ${percent(denied / requests)} of all requests`;
  const rest = open === null || denied === 0 ? '' : ` ${percent(open / denied)} not attributed.`;
  return `${count(denied)} denied${ofAll}.${rest}`;
}

async function entries({ api, output, format, now }: Session, limit: number): Promise<void> {
  const query = { sort: 'hits', order: 'desc', hit_within: '24h', limit } as const;
  const { data: page } = await api.GET('/api/blocked-ips', { params: { query } });
  if (format === 'json') return await output.json(page);
  await output.rows<ListedIp>([
    ...hitColumns(now()),
    { title: 'ENTRY', text: ({ ip_address: ip }) => ip },
    { title: 'REASON', text: ({ reason }) => reason ?? '', mayShrink: true },
    { title: 'BY', text: ({ blocked_by: by }) => by ?? '', mayShrink: true },
  ])(page.items);
}

async function clients({ api, output, format, now }: Session, limit: number): Promise<void> {
  const { data: answer } = await api.GET('/api/insight/candidates');
  if (format === 'json') return await output.json(answer);
  await output.rows(candidateColumns(now()))(answer.items.slice(0, limit));
  if (output.isTerminal) output.remark(output.paintRemark('dim', candidatesLine(answer.items.length)));
}

export function candidatesLine(candidates: number): string {
  return `${counted(candidates, 'candidate')}; figures are estimated from 1 in 16 requests.`;
}

export function candidateColumns(now: Date): readonly Column<Candidate>[] {
  return [
    { title: 'REQUESTS/S', text: ({ rate }) => rate.toFixed(1) },
    {
      title: 'ERRORS',
      text: ({ error_share: share }) => percent(share),
      plain: ({ error_share: share }) => String(share),
    },
    { title: 'ADDRESS', text: ({ ip_address: ip }) => ip },
    { title: 'ACTIVE', text: ({ active_since: at }) => fromNow(at, now), plain: ({ active_since: at }) => at },
    { title: 'NETWORK', text: ({ network }) => network },
    number('IN IT', ({ clients_inside: inside }) => inside),
  ];
}

async function sources({ api, output, format, now }: Session, range: string, limit: number): Promise<void> {
  const { data: answer } = await api.GET('/api/insight/sources', { params: { query: { range } } });
  if (format === 'json') return await output.json(answer);
  const sorted = [...answer.items].sort((a, b) => b.denied - a.denied).slice(0, limit);
  await output.rows<(typeof sorted)[number]>([
    number(`DENIED ${range}`, ({ denied }) => denied),
    { title: 'SHARE', text: ({ share }) => (share === null ? '' : percent(share)) },
    number('ENTRIES', ({ entries }) => entries),
    number('MATCHED 30D', ({ matched_30d: matched }) => matched),
    number('ONLY HERE', ({ only_here: alone }) => alone),
    {
      title: 'LAST MATCH',
      text: ({ last_match: at }) => (at === null ? 'never' : fromNow(at, now())),
      plain: ({ last_match: at }) => at ?? '',
    },
    { title: 'SOURCE', text: ({ source }) => source },
  ])(sorted);
}

async function sites({ api, output, format }: Session, range: string, limit: number): Promise<void> {
  const { data: answer } = await api.GET('/api/insight/series', {
    params: { query: { metric: 'denied', by: 'site', range } },
  });
  if (format === 'json') return await output.json(answer);
  const sums = answer.labels.map((name, index): SumRow => {
    const denied = (answer.values[index] ?? []).reduce<number>((sum, value) => sum + (value ?? 0), 0);
    return { name, denied: Math.round(denied) };
  });
  const sorted = sums.sort((a, b) => b.denied - a.denied).slice(0, limit);
  await output.rows<SumRow>([
    number(`DENIED ${range} (ESTIMATED)`, ({ denied }) => denied),
    { title: 'SITE', text: ({ name }) => name },
  ])(sorted);
}

export function number<Row>(title: string, of: (row: Row) => number): Column<Row> {
  return { title, text: (row) => count(of(row)), plain: (row) => String(of(row)) };
}

export function percent(share: number): string {
  return `${(share * 100).toFixed(share < 0.1 ? 1 : 0)} %`;
}
