// `show proc` of the master. Read by its header and its `#` sections: the columns differ between versions. What the
// sections mean differs too; workers.ts interprets them.
//
//   #<PID>          <type>          <reloads>       <uptime>        <version>
//   5391            master          3 [failed: 1]   0d00h08m57s     3.0.11-1+deb13u3
//   # workers
//   14790           worker          1               0d00h01m18s     3.0.11-1+deb13u3
//   # old workers
//   14001           worker          2               0d00h03m18s     3.0.11-1+deb13u3
//   # programs

export interface MasterRow {
  readonly pid: number;
  readonly reloads: number;
  /** Failed reloads since the last good one. Null where the version does not list them. */
  readonly failed: number | null;
  readonly version: string;
  /** Since HAProxy was started: a reload keeps it. Null: it cannot be read. */
  readonly uptimeSeconds: number | null;
}

export interface WorkerRow {
  readonly pid: number;
  readonly reloads: number;
  readonly version: string;
}

export interface ProcRows {
  readonly master: MasterRow;
  readonly workers: readonly WorkerRow[];
  readonly oldWorkers: readonly WorkerRow[];
}

type Row = Readonly<Record<string, string>> & { readonly failed?: string };

const ONLY_WORKER = /^#<PID>[\s\S]*?\n# workers\n([1-9]\d{0,9})[ \t]+worker[ \t][^\n]*\n#/;
const FAILED = /\[failed: (\d{1,10})\]/;

/**
 * The worker under `# workers`, if it is the only one; null also when the text is not a `show proc`, or no section
 * follows. For groups by `@1`, at a tenth of the cost of `parseShowProc`.
 */
export function onlyWorker(body: string): number | null {
  const pid = ONLY_WORKER.exec(body)?.[1];
  return pid === undefined ? null : Number(pid);
}

/** Null when the text is not a complete `show proc`. */
export function parseShowProc(body: string): ProcRows | null {
  const [header, ...lines] = body.split('\n');
  if (header === undefined || !header.startsWith('#<PID>')) return null;
  const columns = Array.from(header.matchAll(/<([^>]+)>/g), (match) => match[1] ?? '');
  let section = 'master';
  let master: MasterRow | null = null;
  let sawWorkers = false;
  const workers = { workers: [] as WorkerRow[], 'old workers': [] as WorkerRow[] };
  for (const line of lines) {
    if (line.startsWith('#')) {
      section = line.slice(1).trim();
      sawWorkers ||= section === 'workers';
      continue;
    }
    if (section === 'programs' || section === 'old programs') continue;
    const row = readRow(columns, line);
    const common = row === null ? null : readCommon(row);
    if (row === null || common === null) return null;
    if (section === 'master' && row.type === 'master' && master === null) {
      const failed = row.failed === undefined ? null : Number(row.failed);
      master = { ...common, failed, uptimeSeconds: secondsOf(row['uptime']) };
    } else if ((section === 'workers' || section === 'old workers') && row.type === 'worker') {
      workers[section].push(common);
    } else return null;
  }
  if (master === null || !sawWorkers) return null;
  const pids = [master, ...workers.workers, ...workers['old workers']].map(({ pid }) => pid);
  if (new Set(pids).size < pids.length) return null;
  return { master, workers: workers.workers, oldWorkers: workers['old workers'] };
}

function readRow(columns: readonly string[], line: string): Row | null {
  const failed = FAILED.exec(line)?.[1];
  const cells = line.replace(FAILED, '').trim().split(/\s+/);
  if (cells.length !== columns.length) return null;
  const row: Record<string, string> = {};
  for (const [index, cell] of cells.entries()) row[columns[index] ?? ''] = cell;
  return failed === undefined ? row : { ...row, failed };
}

/** Of `0d00h08m57s`. */
function secondsOf(uptime = ''): number | null {
  const [, days, hours, minutes, seconds] = /^(\d{1,6})d(\d\d)h(\d\d)m(\d\d)s$/.exec(uptime) ?? [];
  if (seconds === undefined) return null;
  return ((Number(days) * 24 + Number(hours)) * 60 + Number(minutes)) * 60 + Number(seconds);
}

function readCommon(row: Row): WorkerRow | null {
  const { PID: pid, reloads, version } = row;
  if (pid === undefined || !/^[1-9]\d{0,9}$/.test(pid) || reloads === undefined || !/^\d{1,10}$/.test(reloads))
    return null;
  // Missing when the header is damaged.
  if (version === undefined) return null;
  return { pid: Number(pid), reloads: Number(reloads), version };
}
