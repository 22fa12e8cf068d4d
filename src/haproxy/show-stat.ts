// `show stat <backend> 4 -1`: the servers of one backend as the proxy sees them now. CSV under a header line,
// `# pxname,svname,…,status,…`; columns are found by name, since each version appends some.

export interface ServerStat {
  readonly name: string;
  /** The proxy's own word: `UP`, `DOWN`, `MAINT`, `no check`, `UP 1/3`, … */
  readonly status: string;
  /** What the last health check said, as `L4OK`, `L4CON`; null without checks. */
  readonly check: string | null;
  /** Address and port in use; null while a name is not resolved. */
  readonly address: string | null;
}

/** Null when the body is not such a list. */
export function parseShowStat(body: string): ServerStat[] | null {
  const lines = body.split('\n');
  const header = lines[0];
  if (header === undefined || !header.startsWith('# pxname,svname,')) return null;
  const columns = header.slice(2).split(',');
  const at = (name: string): number => columns.indexOf(name);
  const [name, status, check, address] = [at('svname'), at('status'), at('check_status'), at('addr')];
  const servers: ServerStat[] = [];
  for (const line of lines.slice(1)) {
    if (line === '') continue;
    // No field that is read here can hold a comma: names and addresses are ours, the rest are words of the proxy.
    const fields = line.split(',');
    servers.push({
      name: fields[name] ?? '',
      status: fields[status] ?? '',
      check: orNull(fields[check]),
      address: orNull(fields[address]),
    });
  }
  return servers;
}

function orNull(text: string | undefined): string | null {
  return text === undefined || text === '' ? null : text.replace(/^\* /, '');
}
