import type { AuditQuery, AuditRecord } from '../../api/audit.ts';
import { count } from '../../domain/counted.ts';
import { parseTime } from '../../domain/rfc3339.ts';
import type { CommandLine } from '../command-line.ts';
import { durationOf, withZone } from '../expiry-options.ts';
import { type ExitCode, exitCodes, usageError } from '../failure.ts';
import type { Style } from '../output/colour.ts';
import { readPages, writePages } from '../output/pages.ts';
import type { Column } from '../output/table.ts';
import { fromNow } from '../output/times.ts';
import type { Session } from '../session.ts';
import { typedAddresses } from '../typed-addresses.ts';
import { type Options, Verb, wholeNumber } from '../verb.ts';

const maxLimit = 1_000_000_000;

export function auditVerb(cli: CommandLine): Verb {
  const verb = new Verb('audit', 'show the audit log: who did what, from where, with what outcome; newest first')
    .argument('[address]', 'only changes of this address, alone or among the first twenty of a list')
    .option('-n, --limit <count>', 'maximum number of entries', '50')
    .option('--operation <name>', 'only this operation, such as block or set_site')
    .option('--key <name>', 'only operations with the key of this name')
    .option('--since <time>', 'only entries since then: a duration before now such as 24h, or a time')
    .option('--until <time>', 'only entries before then: a duration before now such as 24h, or a time')
    .example('audit 192.0.2.1', 'all changes of an address, including its expiry')
    .example('audit --key fail2ban --since 24h', 'the operations of fail2ban in the last day')
    .example('audit --since 2026-11-01 -n 100000 -o json', 'a month, for a program');
  return cli.calling(verb, audit);
}

async function audit(session: Session, [address]: readonly string[], options: Options): Promise<ExitCode> {
  const { output, format, now } = session;
  const given = options as { limit?: string; operation?: string; key?: string; since?: string; until?: string };
  const limit = wholeNumber(given.limit ?? '50', '--limit', 1, maxLimit);
  const [entry] = address === undefined ? [] : typedAddresses([address]);
  const query: Omit<AuditQuery, 'limit'> = {
    ...(entry !== undefined && { ip_address: entry.text }),
    ...(given.operation !== undefined && { operation: given.operation }),
    ...(given.key !== undefined && { key: given.key }),
    ...(given.since !== undefined && { since: pastTime(given.since, '--since', now()) }),
    ...(given.until !== undefined && { until: pastTime(given.until, '--until', now()) }),
  };
  const pages = readPages(output, limit, async (range): Promise<AuditPage> => {
    const { data } = await session.api.GET('/api/audit', { params: { query: { ...query, ...range } } });
    return data;
  });
  if (format === 'json') {
    await writePages(output, pages);
    return exitCodes.done;
  }
  const show = output.rows(auditColumns(now()));
  let shown = 0;
  let older = false;
  for await (const { items, next_cursor: next } of pages) {
    if (items.length > 0) await show(items);
    shown += items.length;
    older = next !== null;
  }
  if (output.isTerminal && !output.closed) {
    if (shown === 0) await output.lines(['no matching entries']);
    else if (older) output.remark(output.paintRemark('dim', `the last ${count(shown)}; show more with -n`));
  }
  return exitCodes.done;
}

interface AuditPage {
  readonly items: readonly AuditRecord[];
  readonly next_cursor: string | null;
}

/** `24h` means 24 hours ago. */
function pastTime(text: string, flag: string, now: Date): string {
  if (/^[0-9]+[smhdw]$/.test(text)) return new Date(now.getTime() - durationOf(text, flag) * 1000).toISOString();
  const time = parseTime(withZone(text));
  if (!time.ok) throw usageError(`${flag}: ${time.why}, or a duration before now such as 24h`);
  return time.value.toISOString();
}

const outcomeStyles: Readonly<Record<string, Style>> = {
  done: 'good',
  partly: 'warning',
  refused: 'warning',
  failed: 'error',
};

export function auditColumns(now: Date): readonly Column<AuditRecord>[] {
  return [
    { title: 'WHEN', text: ({ at }) => fromNow(at, now), plain: ({ at }) => at },
    { title: 'KEY', text: ({ key }) => key ?? 'the service' },
    { title: 'FROM', text: ({ source }) => source ?? '' },
    { title: 'OPERATION', text: ({ operation }) => operation },
    { title: 'TARGET', text: targetText },
    { title: 'OUTCOME', text: outcomeText, style: ({ outcome }) => outcomeStyles[outcome] ?? null },
    { title: 'DETAILS', text: detailsText, mayShrink: true },
    { title: 'ID', text: ({ id }) => String(id) },
  ];
}

/** A group of one, usually an expired block, shows its address. */
function targetText({ ip_address: ip, target, details }: AuditRecord): string {
  const named = details?.['ip_addresses'];
  const only = Array.isArray(named) && named.length === 1 ? String(named[0]) : '';
  return ip ?? target ?? only;
}

function outcomeText({ outcome, code }: AuditRecord): string {
  return code === null ? outcome : `${outcome} (${code})`;
}

/** Details of the request and of the result as `name=value`, without duplicates. */
function detailsText({ details, result }: AuditRecord): string {
  const fields = [...Object.entries(details ?? {}), ...Object.entries(result ?? {})]
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
  return [...new Set(fields)].join(' ');
}
