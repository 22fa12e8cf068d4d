// `status`: on one screen whether blocking is enforced; where not, why and what to do.

import type { Health, WorkerHealth } from '../../api/health.ts';
import { type ExitCode, exitCodes } from '../failure.ts';
import type { Style } from '../output/colour.ts';
import { harmless } from '../output/harmless.ts';
import { count, counted, fromNow } from '../output/times.ts';
import type { Session } from '../session.ts';
import { Verb } from '../verb.ts';

export function statusVerb(): Verb {
  return new Verb('status', 'whether blocking is enforced, and if not, why')
    .example('status', 'exits 0 when all is well, 3 when degraded, 1 when down')
    .example('status >/dev/null || page-somebody', 'in a script') as Verb;
}

export async function status(session: Session): Promise<ExitCode> {
  const { data: report } = await session.api.GET('/health');
  if (session.format === 'json') await session.output.json(report);
  else await session.output.lines(statusLines(report, session.url, session.now(), session.output.paint));
  if (report.status === 'ok') return exitCodes.done;
  return report.status === 'degraded' ? exitCodes.partly : exitCodes.failed;
}

type Paint = (style: Style, text: string) => string;
type Row = readonly [name: string, isWell: boolean, text: string];

const styles: Readonly<Record<Health['status'], Style>> = { ok: 'good', degraded: 'warning', down: 'trouble' };
const meanings: Readonly<Record<Exclude<Health['status'], 'down'>, string>> = {
  ok: 'every worker was seen to block what is to be blocked',
  degraded: 'blocking may not be enforced somewhere',
};
const nameWidth = 15;

export function statusLines(report: Health, url: string, now: Date, paint: Paint): string[] {
  const { versions } = report;
  const untested = versions.untested === null ? [] : [harmless(versions.untested)];
  const head = harmless(`proxy-manager ${versions.service} with HAProxy ${versions.proxy} at ${url}`);
  const state = paint(styles[report.status], report.status);
  const rows = statusRows(report, now).map(([name, isWell, text]) => {
    const line = `  ${name.padEnd(nameWidth)}${harmless(text)}`;
    return isWell ? line : paint('warning', line);
  });
  return [head, ...untested, `${state}: ${meaningOf(report)}`, '', ...rows, ...reasonLines(report.reasons, paint)];
}

/** Whether sites are served is what a person who was woken wants to know first. */
function meaningOf({ status, database, reasons }: Health): string {
  if (status !== 'down') return meanings[status];
  const noWorker = reasons.some((reason) => reason.startsWith('no worker'));
  if (!noWorker) return 'nothing can be changed; sites are served, and what is blocked stays blocked';
  return database.status === 'down' ? 'no site is served, and nothing can be changed' : 'no site is served';
}

function statusRows(report: Health, now: Date): Row[] {
  const { database, master_socket: socket, map_file: file, runtime_map: map, last_reload: last } = report;
  const scheduled = report.scheduled_reload;
  const verified =
    map.last_verified_at === null ? 'not verified yet' : `verified ${fromNow(map.last_verified_at, now)}`;
  const since = socket.since === null ? '' : ` (since ${fromNow(socket.since, now)})`;
  return [
    ['database', database.status === 'ok', withReason(database)],
    ['master socket', socket.status === 'ok', withReason(socket) + since],
    ['workers', isWhole(report.workers.current), workersText(report.workers)],
    [
      'running map',
      map.seen === map.expected || Boolean(map.big_change),
      `${seenText(map)}, ${verified}${changeText(map)}`,
    ],
    ['map file', file.status === 'ok', `${withReason(file)}, ${counted(file.entries, 'entry', 'entries')}`],
    [
      'last reload',
      last === null || last.status === 'completed',
      last === null
        ? 'none since the start'
        : `${last.status} ${fromNow(last.finished_at, now)}${last.error === null ? '' : `: ${last.error}`}`,
    ],
    ...configurationRows(report),
    ...(scheduled === null
      ? []
      : [['next reload', false, `scheduled ${fromNow(scheduled.since, now)}: ${scheduled.reasons[0] ?? ''}`] as const]),
  ];
}

/** Nothing where the live configuration is what a reload would make of it. A service that is older says nothing of it. */
function configurationRows({ configuration_drift: drift, attached, trusted_map: trusted }: Partial<Health>): Row[] {
  const rows: Row[] = [];
  if (attached) rows.push(frontEndsRow(attached));
  if (drift?.status === 'unknown') rows.push(['configuration', false, `not compared: ${drift.reason}`]);
  if (drift?.status === 'drift') {
    const lines = `+${count(drift.added ?? 0)} -${count(drift.removed ?? 0)} lines`;
    rows.push(['configuration', false, `${driftText(drift)} (${lines}: proxy-manager config diff)`]);
  }
  if (trusted?.used === false && trusted.entries > 0) {
    const entries = counted(trusted.entries, 'entry is', 'entries are');
    rows.push(['trusted map', false, `a rule has no exception for it: ${entries} denied like others`]);
  }
  return rows;
}

/** Attached: which front ends deny what is blocked; what is wrong with the others stands in the reasons. */
function frontEndsRow({ front_ends: all, changed_since_load: changed }: NonNullable<Health['attached']>): Row {
  const denying = all.filter(({ has_rule }) => has_rule).length;
  const open = all.filter(({ has_rule, open }) => !has_rule && open).length;
  const parts = [
    `${count(denying)} of ${count(all.length)} deny what is blocked`,
    ...(open > 0 ? [`${count(open)} open on purpose`] : []),
    ...(changed ? ['the files were changed since HAProxy loaded them'] : []),
  ];
  return ['front ends', all.length > 0 && denying + open === all.length, parts.join('; ')];
}

function driftText({ live, backup }: NonNullable<Health['configuration_drift']>): string {
  if (live === 'rendered') return 'a setting or the template changed: proxy-manager reload applies it';
  if (live === 'restored') return `backup ${backup} is in force, and differs from sites and settings`;
  return 'written or edited by hand, and differs from what a reload would make';
}

function withReason({ status: state, reason }: { readonly status: string; readonly reason: string | null }): string {
  return reason === null ? state : `${state}: ${reason}`;
}

function seenText({ seen, expected }: Health['runtime_map']): string {
  if (seen === null) return `not seen; ${counted(expected, 'entry', 'entries')} expected`;
  if (seen === expected) return counted(seen, 'entry', 'entries');
  return `${count(seen)} of ${counted(expected, 'entry', 'entries')}`;
}

function changeText({ big_change: change }: Health['runtime_map']): string {
  // A service that is older than this says nothing of it.
  if (!change) return '';
  return `, while a big change goes on (${count(change.added)} in, ${count(change.removed)} out)`;
}

function isWhole(worker: WorkerHealth | null): boolean {
  return worker?.whole === true;
}

function workersText({ current, draining }: Health['workers']): string {
  const now = current === null ? 'none' : workerText(current);
  if (draining.length === 0) return `${now}; none draining`;
  const short = draining.filter(({ whole }) => !whole);
  const state = short.length === 0 ? 'all whole' : short.map(workerText).join(', ');
  return `${now}; ${count(draining.length)} draining (${state})`;
}

function workerText({ pid, whole, reason }: WorkerHealth): string {
  return whole ? `${pid} whole` : `${pid} not whole${reason === null ? '' : `: ${reason}`}`;
}

/** The service's own reasons, each with what a person can do about it. The screen holds so many. */
const shownReasons = 6;

function reasonLines(reasons: readonly string[], paint: Paint): string[] {
  if (reasons.length === 0) return [];
  const lines = ['', paint('title', 'Why, and what to do:')];
  const hints = new Set<string>();
  const supervised = reasons.some((reason) => reason.startsWith('supervision:'));
  for (const reason of reasons.slice(0, shownReasons)) {
    lines.push(`  - ${harmless(reason)}`);
    // One that somebody started by hand beside the supervised one would share its ports.
    const hint = supervised && reason.startsWith('no worker') ? null : whatToDo(reason);
    if (hint !== null && !hints.has(hint)) lines.push(paint('quiet', `      ${hint}`));
    if (hint !== null) hints.add(hint);
  }
  const more = reasons.length - shownReasons;
  if (more > 0) lines.push(`  and ${count(more)} more: proxy-manager status -o json`);
  return lines;
}

const remedies: readonly (readonly [begin: RegExp, hint: string])[] = [
  [/: not checked \(/, 'it did not answer in time: is the machine busy, or a disk that hangs? dmesg'],
  [/^database: .* while it was in use/, 'put back the file that was there; where it is lost, restart the service'],
  [
    /^database: .*(damaged|not a database)/,
    'stop the service and restore a backup: the guide, “The database is damaged or gone”',
  ],
  [
    /^database: .*(holds the lock|is locked)/,
    'which other program has the database open? fuser -v on the file; it goes on by itself',
  ],
  [/^database:/, 'is the disk full or read-only? df -h and the log of the service; it goes on by itself'],
  [/^master socket:/, 'is HAProxy running? blocks are kept and enforced as soon as it answers'],
  [/^map file:/, 'proxy-manager sync rewrites it'],
  [/^running map:/, 'it is compared and repaired by itself; proxy-manager sync does it now'],
  [/^a reload is scheduled/, 'it follows by itself, and is tried again where it fails: see "last reload" above'],
  [/^supervision:/, 'the service starts it again by itself; proxy-manager reload --dry-run says whether it could'],
  [
    /^no worker/,
    'start HAProxy, or give the service --supervise; proxy-manager reload --dry-run says whether it could',
  ],
  [
    /^current worker \d+: .* it has not loaded /,
    'the rule is missing in the configuration: add it, and reload HAProxy',
  ],
  [/^draining worker/, 'it is retried until it holds the entry or has ended'],
  [/^current worker/, 'it is repaired by itself; proxy-manager sync does it now'],
];

/** Null: the reason says it all. */
export function whatToDo(reason: string): string | null {
  return remedies.find(([begin]) => begin.test(reason))?.[1] ?? null;
}
