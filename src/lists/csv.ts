// CSV (RFC 4180, one record per line): with a header row that names an address column, or without one
// `ip,reason,expires`. Reads the output of `proxy-manager export --csv`, and CrowdSec's decisions.
import { parseIp } from '../domain/ip.ts';
import { trimBlanks } from '../domain/list-line.ts';
import { isSourceKind } from '../domain/source-name.ts';
import { addressOf, decisionProblem, isDecisions, readRemaining } from './crowdsec.ts';
import { blockedByProblem, kindProblem, readExpiry, reasonProblem, sourceProblem } from './fields.ts';
import { fromFormulaSafe } from './formula-safe.ts';
import { readAddress } from './plain.ts';
import { bad, type LineReader, type LineReading, type ListEntry, nothing } from './reading.ts';

type Column =
  | 'ip'
  | 'reason'
  | 'expires'
  | 'blockedBy'
  | 'source'
  | 'kind'
  | 'escaped'
  | 'remaining'
  | 'action'
  | 'simulated';
type Columns = readonly (Column | null)[];

const columnNames: Readonly<Record<string, Column>> = {
  ip: 'ip',
  ip_address: 'ip',
  address: 'ip',
  network: 'ip',
  cidr: 'ip',
  subnet: 'ip',
  reason: 'reason',
  comment: 'reason',
  note: 'reason',
  description: 'reason',
  expires: 'expires',
  expires_at: 'expires',
  expiry: 'expires',
  until: 'expires',
  duration: 'expires',
  blocked_by: 'blockedBy',
};

/** In addition if the header has `blocked_by`: elsewhere a source may be anything. */
const exportNames: Readonly<Record<string, Column>> = {
  ...columnNames,
  source: 'source',
  kind: 'kind',
  escaped: 'escaped',
};

/** Used if the header is that of CrowdSec's decisions, in addition to `ip` and `reason`. */
const decisionNames: Readonly<Record<string, Column>> = {
  ip: 'ip',
  reason: 'reason',
  expiration: 'remaining',
  action: 'action',
  simulated: 'simulated',
};

/** Whose a line without a source is. */
const manual = 'manual';

const withoutHeader: Columns = ['ip', 'reason', 'expires'];

/** The first row is a header if it names an address column. */
export function csvReader(): LineReader {
  let columns: Columns | null = null;
  return (line) => {
    if (trimBlanks(line) === '' || /^[ \t]*[#;]/.test(line)) return nothing;
    const fields = splitRecord(line);
    if (fields === null) {
      return bad(line, 'has a quotation mark that is not closed on this line; a record is one line');
    }
    if (columns === null) {
      columns = headerColumns(fields);
      if (columns !== null) return nothing;
      columns = withoutHeader;
    }
    return readRecord(fields, columns);
  };
}

/** Null: not a header row. Columns of other names are ignored. */
export function headerColumns(fields: readonly string[]): Columns | null {
  const names = fields.map((field) => field.toLowerCase());
  const known = isDecisions(names) ? decisionNames : names.includes('blocked_by') ? exportNames : columnNames;
  const columns = names.map((name) => (Object.hasOwn(known, name) ? known[name]! : null));
  return columns.includes('ip') && !fields.some((field) => parseIp(field).ok) ? columns : null;
}

function readRecord(fields: readonly string[], columns: Columns): LineReading {
  // The first column of a name counts; a line may be shorter than its header, as spreadsheets write it.
  const field = (column: Column): string => fields[columns.indexOf(column)] ?? '';
  const isDecision = columns.includes('remaining');
  if (isDecision) {
    const problem = decisionProblem({ ip: field('ip'), action: field('action'), simulated: field('simulated') });
    if (problem !== null) return bad(field('ip'), problem);
  }
  const address = readAddress(isDecision ? addressOf(field('ip')) : field('ip'));
  if (address.kind === 'nothing') return bad(fields.join(','), 'has no address');
  if (address.kind === 'bad') return address;
  const { ip } = address.entry;
  const exact = columns.includes('escaped') ? fromFormulaSafe : (text: string): string => text;
  const [reason, blockedBy] = [exact(field('reason')), exact(field('blockedBy'))];
  const source = field('source') || manual;
  const kind = columns.includes('source') ? field('kind') : '';
  const expiry = isDecision ? readRemaining(field('remaining')) : readExpiry(field('expires'));
  if (!expiry.ok) return bad(ip, expiry.why);
  const problem = reasonProblem(reason) ?? blockedByProblem(blockedBy) ?? sourceProblem(source) ?? kindProblem(kind);
  if (problem !== null) return bad(ip, problem);
  const entry: ListEntry = {
    ip,
    ...(reason === '' ? {} : { reason }),
    ...(blockedBy === '' ? {} : { blockedBy }),
    ...(expiry.expiry === null ? {} : { expiry: expiry.expiry }),
    ...(columns.includes('source') ? { source } : {}),
    ...(isSourceKind(kind) ? { kind } : {}),
  };
  return { kind: 'entry', entry };
}

/** The fields of one record; null if a quoted field does not end on this line. */
export function splitRecord(line: string): string[] | null {
  const fields: string[] = [];
  let at = 0;
  for (;;) {
    while (line[at] === ' ' || line[at] === '\t') at += 1;
    if (line[at] === '"') {
      const quoted = /"((?:[^"]|"")*)"[ \t]*(?=,|$)/y;
      quoted.lastIndex = at;
      const match = quoted.exec(line);
      if (match === null) return null;
      fields.push(match[1]!.replaceAll('""', '"'));
      at = quoted.lastIndex;
    } else {
      const comma = line.indexOf(',', at);
      const end = comma < 0 ? line.length : comma;
      fields.push(trimBlanks(line.slice(at, end)));
      at = end;
    }
    if (at >= line.length) return fields;
    at += 1;
  }
}

/** Without a line end. Quotes fields that contain a comma, a quotation mark or outer blanks. */
export function csvRecord(fields: readonly string[]): string {
  return fields
    .map((field) => (/[",\r\n]|^[ \t#;]|[ \t]$/.test(field) ? `"${field.replaceAll('"', '""')}"` : field))
    .join(',');
}
