// `audit`: who did what, when, from where, and what came of it.

import type { AuditQuery, AuditRecord } from '../../api/audit.ts';
import { parseTime } from '../../domain/rfc3339.ts';
import { durationOf, withZone } from '../expiry-options.ts';
import { type ExitCode, exitCodes, misused } from '../failure.ts';
import type { Style } from '../output/colour.ts';
import { writePages } from '../output/pages.ts';
import type { Column } from '../output/table.ts';
import { count, fromNow } from '../output/times.ts';
import type { Session } from '../session.ts';
import { typedAddresses } from '../typed-addresses.ts';
import { Verb, wholeNumber } from '../verb.ts';

const pageSize = 1000;
const mostListed = 1_000_000_000;

export function auditVerb(): Verb {
  return new Verb('audit', 'who did what, from where, with what outcome; newest first')
    .argument('[address]', 'only what was done to it: alone, or among the first twenty of a list')
    .option('-n, --limit <count>', 'at most so many', '50')
    .option('--operation <name>', 'only this one, such as block or set_site')
    .option('--key <name>', 'only what was asked with the key of this name')
    .option('--since <time>', 'from then on: a duration back such as 24h, or a time')
    .option('--until <time>', 'before then: a duration back such as 24h, or a time')
    .example('audit 192.0.2.1', 'what was done to an address, and when it ended')
    .example('audit --key fail2ban --since 24h', 'what fail2ban did in a day')
    .example('audit --since 2026-11-01 -n 100000 -o json', 'a month, for a program') as Verb;
}

export async function audit(
  session: Session,
  [address]: readonly string[],
  options: Readonly<Record<string, unknown>>,
): Promise<ExitCode> {
  const { output, format, now } = session;
  const given = options as { limit?: string; operation?: string; key?: string; since?: string; until?: string };
  const most = wholeNumber(given.limit ?? '50', '--limit', 1, mostListed);
  const [entry] = address === undefined ? [] : typedAddresses([address]);
  const query: Omit<AuditQuery, 'limit'> = {
    ...(entry !== undefined && { ip_address: entry.text }),
    ...(given.operation !== undefined && { operation: given.operation }),
    ...(given.key !== undefined && { key: given.key }),
    ...(given.since !== undefined && { since: pastTime(given.since, '--since', now()) }),
    ...(given.until !== undefined && { until: pastTime(given.until, '--until', now()) }),
  };
  const pages = auditPages(session, most, query);
  if (format === 'json') {
    await writePages(output, pages, ({ next }) => ({ next_cursor: next }));
    return exitCodes.done;
  }
  const show = output.rows(auditColumns(now()));
  let shown = 0;
  let older = false;
  for await (const { items, next } of pages) {
    if (items.length > 0) await show(items);
    shown += items.length;
    older = next !== null;
  }
  if (output.isTerminal && !output.closed) {
    if (shown === 0) await output.lines(['nothing that fits was done']);
    else if (older) output.remark(output.paintRemark('quiet', `the last ${count(shown)}; more with -n`));
  }
  return exitCodes.done;
}

interface AuditPage {
  readonly items: readonly AuditRecord[];
  readonly next: string | null;
}

async function* auditPages(
  { api, output }: Session,
  most: number,
  query: Omit<AuditQuery, 'limit'>,
): AsyncGenerator<AuditPage> {
  let left = most;
  let cursor: string | null = null;
  do {
    const wanted: AuditQuery = { ...query, limit: Math.min(left, pageSize), ...(cursor !== null && { cursor }) };
    const { data: page }: { data: { items: readonly AuditRecord[]; next_cursor: string | null } } = await api.GET(
      '/api/audit',
      { params: { query: wanted } },
    );
    yield { items: page.items, next: page.next_cursor };
    left -= page.items.length;
    cursor = page.next_cursor;
  } while (cursor !== null && left > 0 && !output.closed);
}

/** `24h`: so long ago. */
function pastTime(text: string, flag: string, now: Date): string {
  if (/^[0-9]+[smhdw]$/.test(text)) return new Date(now.getTime() - durationOf(text, flag) * 1000).toISOString();
  const time = parseTime(withZone(text));
  if (!time.ok) throw misused(`${flag}: ${time.why}, or a duration back such as 24h`);
  return time.value.toISOString();
}

const outcomeStyles: Readonly<Record<string, Style>> = {
  done: 'good',
  partly: 'warning',
  refused: 'warning',
  failed: 'trouble',
};

export function auditColumns(now: Date): readonly Column<AuditRecord>[] {
  return [
    { title: 'WHEN', text: ({ at }) => fromNow(at, now), plain: ({ at }) => at },
    { title: 'WHO', text: ({ key }) => key ?? 'the service' },
    { title: 'FROM', text: ({ source }) => source ?? '' },
    { title: 'DID', text: ({ operation }) => operation },
    { title: 'TO', text: toText },
    { title: 'OUTCOME', text: outcomeText, style: ({ outcome }) => outcomeStyles[outcome] ?? null },
    { title: 'MORE', text: moreText, mayShrink: true },
  ];
}

/** Of a group of one, mostly a block that ended, that one. */
function toText({ ip_address: ip, target, details }: AuditRecord): string {
  const named = details?.['ip_addresses'];
  const only = Array.isArray(named) && named.length === 1 ? String(named[0]) : '';
  return ip ?? target ?? only;
}

function outcomeText({ outcome, code }: AuditRecord): string {
  return code === null ? outcome : `${outcome} (${code})`;
}

/** What was asked for, then what came of it, as `name=value`; once where it is the same. */
function moreText({ details, result }: AuditRecord): string {
  const said = [...Object.entries(details ?? {}), ...Object.entries(result ?? {})]
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
  return [...new Set(said)].join(' ');
}
