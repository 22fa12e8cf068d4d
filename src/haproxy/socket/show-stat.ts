// The servers of one backend: CSV below a header line, `# pxname,svname,…,status,…`. Columns are found by name, since
// each version appends some.

export interface ServerStat {
  readonly name: string;
  /** HAProxy's own word: `UP`, `DOWN`, `MAINT`, `no check`, `UP 1/3`, … */
  readonly status: string;
  /** Last health check, such as `L4OK`, `L4CON`; null without checks. */
  readonly check: string | null;
  /** Null while a host name is not resolved. */
  readonly address: string | null;
}

const COLUMNS = ['pxname', 'svname', 'status', 'check_status', 'addr'] as const;

/** Null when the body is not such a list, or any line of it is incomplete. */
export function parseShowStat(body: string): ServerStat[] | null {
  const [header = '', ...lines] = body.split('\n');
  if (!header.startsWith('# pxname,svname,')) return null;
  const columns = header.slice(2).split(',');
  const indexes = COLUMNS.map((name) => columns.indexOf(name));
  if (indexes.includes(-1)) return null;
  const servers: ServerStat[] = [];
  for (const line of lines) {
    if (line === '') continue;
    const fields = splitFields(line);
    if (fields?.length !== columns.length) return null;
    const [proxy, name, status, check, address] = indexes.map((index) => fields[index] as string);
    if (!proxy || !name || !status) return null;
    servers.push({ name, status, check: orNull(check), address: orNull(address) });
  }
  return servers;
}

/**
 * The fields of a line; null when a quote is open at its end. The server's response to its health check (`last_chk`) is
 * quoted if it contains a comma: `"not ""now"", later"`.
 */
export function splitFields(line: string): string[] | null {
  if (!line.includes('"')) return line.split(',');
  const fields: string[] = [];
  let field = '';
  let quoted = false;
  for (let at = 0; at < line.length; at += 1) {
    const character = line.charAt(at);
    if (character === '"') {
      if (quoted && line.charAt(at + 1) === '"') field += line.charAt(++at);
      else quoted = !quoted;
    } else if (character === ',' && !quoted) {
      fields.push(field);
      field = '';
    } else field += character;
  }
  return quoted ? null : [...fields, field];
}

function orNull(text: string | undefined): string | null {
  return text === undefined || text === '' ? null : text.replace(/^\* /, '');
}
