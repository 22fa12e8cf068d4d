import type { Health, WorkerHealth } from '../../api/health.ts';
import { count, counted } from '../../domain/counted.ts';
import type { CommandLine } from '../command-line.ts';
import { type ExitCode, exitCodes } from '../failure.ts';
import type { Style } from '../output/colour.ts';
import { harmless } from '../output/harmless.ts';
import { fromNow } from '../output/times.ts';
import type { Session } from '../session.ts';
import { Verb } from '../verb.ts';

export function statusVerb(cli: CommandLine): Verb {
  const verb = new Verb('status', 'show whether blocking is enforced, and if not, why')
    .example('status', 'exits 0 if ok, 3 if degraded, 1 if down')
    .example('status >/dev/null || send-alert', 'in a script');
  return cli.calling(verb, status);
}

async function status(session: Session): Promise<ExitCode> {
  const { data: report } = await session.api.GET('/health');
  if (session.format === 'json') await session.output.json(report);
  else await session.output.lines(statusLines(report, session.url, session.now(), session.output.paint));
  if (report.status === 'ok') return exitCodes.done;
  return report.status === 'degraded' ? exitCodes.partly : exitCodes.failed;
}

type Paint = (style: Style, text: string) => string;
type Row = readonly [name: string, isOk: boolean, text: string];

const styles: Readonly<Record<Health['status'], Style>> = { ok: 'good', degraded: 'warning', down: 'error' };
const meanings: Readonly<Record<Exclude<Health['status'], 'down'>, string>> = {
  ok: 'every worker enforces the blocked set',
  degraded: 'some blocked requests may get through',
};
const certificatesOnly = 'blocks are enforced, but a certificate needs attention';
const nameWidth = 15;
/** Fits on one screen. */
const shownKeys = 5;

export function statusLines(report: Health, url: string, now: Date, paint: Paint): string[] {
  const { versions } = report;
  const untested = versions.untested === null ? [] : [harmless(versions.untested)];
  const head = harmless(`proxy-manager ${versions.service} with HAProxy ${versions.proxy} at ${url}`);
  const state = paint(styles[report.status], report.status);
  const rows = statusRows(report, now).map(([name, isOk, text]) => {
    const line = `  ${name.padEnd(nameWidth)}${harmless(text)}`;
    return isOk ? line : paint('warning', line);
  });
  return [
    head,
    ...untested,
    `${state}: ${meaningOf(report)}`,
    '',
    ...rows,
    ...reasonLines(report, paint),
    ...noticeLines(report, paint),
  ];
}

/** Says first whether sites are served: to an operator on call that matters most. */
function meaningOf({ status, database, reasons }: Health): string {
  if (status === 'degraded' && reasons.every((reason) => reason.startsWith('certificates: '))) return certificatesOnly;
  if (status !== 'down') return meanings[status];
  const noWorker = reasons.some((reason) => reason.startsWith('no worker'));
  if (!noWorker) return 'sites are served and blocks are enforced, but nothing can be changed';
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
    ['workers', report.workers.current?.whole === true, workersText(report.workers)],
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
        ? 'none by the service since it started'
        : `${last.status} ${fromNow(last.finished_at, now)}${last.error === null ? '' : `: ${last.error}`}`,
    ],
    ...configurationRows(report),
    ...(scheduled === null
      ? []
      : [['next reload', false, `scheduled ${fromNow(scheduled.since, now)}: ${scheduled.reasons[0] ?? ''}`] as const]),
    ...keyRows(report),
  ];
}

/** An older service does not report them. */
function keyRows({ unbound_keys: keys }: Partial<Health>): Row[] {
  if (!keys || keys.length === 0) return [];
  const shown = keys.slice(0, shownKeys).map((name) => `proxy-manager key bind ${name} SOURCE`);
  const more = keys.length > shownKeys ? [`and ${count(keys.length - shownKeys)} more: proxy-manager key ls`] : [];
  const are =
    keys.length === 1 ? 'is not bound to a source, so its unblocks' : 'are not bound to a source, so their unblocks';
  return [
    ['keys', false, `${counted(keys.length, 'key')} ${are} drop the blocks of operators`],
    ...[...shown, ...more, 'SOURCE is a name such as fail2ban; manual: the key acts like an operator'].map(
      (text) => ['', true, text] as const,
    ),
  ];
}

/** An older service does not report these fields. */
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
    rows.push(['trusted map', false, `not used by a rule, so ${entries} denied if blocked`]);
  }
  return rows;
}

/** Counts the front ends that deny blocked addresses. The reasons name the others. */
function frontEndsRow({ front_ends: all, changed_since_load: changed }: NonNullable<Health['attached']>): Row {
  const denying = all.filter(({ has_rule }) => has_rule).length;
  const open = all.filter(({ has_rule, open }) => !has_rule && open).length;
  const parts = [
    `${count(denying)} of ${count(all.length)} deny blocked addresses`,
    ...(open > 0 ? [`${count(open)} exempt (--open)`] : []),
    ...(changed === true ? ['the configuration files changed since HAProxy loaded them'] : []),
    ...(changed === null ? ['it is not known whether HAProxy has loaded these files'] : []),
  ];
  return ['front ends', all.length > 0 && denying + open === all.length, parts.join('; ')];
}

function driftText({ live, backup }: NonNullable<Health['configuration_drift']>): string {
  if (live === 'rendered') return 'a setting or the template changed; to apply it: proxy-manager reload';
  if (live === 'restored') return `backup ${backup} is live and differs from sites and settings`;
  return 'edited by hand, and differs from what a reload would write';
}

function withReason({ status: state, reason }: { readonly status: string; readonly reason: string | null }): string {
  return reason === null ? state : `${state}: ${reason}`;
}

function seenText({ seen, expected }: Health['runtime_map']): string {
  if (seen === null) return `not checked; ${counted(expected, 'entry', 'entries')} expected`;
  if (seen === expected) return counted(seen, 'entry', 'entries');
  return `${count(seen)} of ${counted(expected, 'entry', 'entries')}`;
}

function changeText({ big_change: change }: Health['runtime_map']): string {
  // An older service does not report it.
  if (!change) return '';
  return `, bulk change in progress (${count(change.added)} added, ${count(change.removed)} removed so far)`;
}

function workersText({ current, draining }: Health['workers']): string {
  const now = current === null ? 'none' : workerText(current);
  if (draining.length === 0) return `${now}; none draining`;
  const outOfSync = draining.filter(({ whole }) => !whole);
  const state = outOfSync.length === 0 ? 'in sync' : outOfSync.map(workerText).join(', ');
  return `${now}; ${count(draining.length)} draining (${state})`;
}

function workerText({ pid, whole, reason }: WorkerHealth): string {
  return whole ? `pid ${pid} in sync` : `pid ${pid} out of sync${reason === null ? '' : `: ${reason}`}`;
}

/** Fits on one screen. */
const shownReasons = 6;

function reasonLines({ reasons, attached }: Health, paint: Paint): string[] {
  if (reasons.length === 0) return [];
  const lines = ['', paint('title', 'Reasons, and what to do:')];
  const hints = new Set<string>();
  const supervised = reasons.some((reason) => reason.startsWith('supervision:'));
  for (const reason of reasons.slice(0, shownReasons)) {
    lines.push(`  - ${harmless(reason)}`);
    // A second HAProxy, started by hand, would share the ports of the supervised one.
    const hint = supervised && reason.startsWith('no worker') ? null : whatToDo(reason, Boolean(attached));
    if (hint !== null && !hints.has(hint)) lines.push(paint('dim', `      ${hint}`));
    if (hint !== null) hints.add(hint);
  }
  const more = reasons.length - shownReasons;
  if (more > 0) lines.push(`  and ${count(more)} more: proxy-manager status -o json`);
  return lines;
}

/** An older service does not report them. */
function noticeLines({ notices = [] }: Partial<Health>, paint: Paint): string[] {
  if (notices.length === 0) return [];
  return ['', paint('title', 'Notices:'), ...notices.map((text) => `  - ${harmless(text)}`)];
}

/** The first whose pattern matches. The patterns follow the texts of the service. */
export const remedies: readonly (readonly [pattern: RegExp, hint: string, attachedHint?: string])[] = [
  [/: not checked \(/, 'the check timed out: see whether the machine is busy or a disk hangs (top, dmesg)'],
  [/^database: .* while it was in use/, 'put back the original file; if it is lost, restart the service'],
  [
    /^database: .*(damaged|not a database)/,
    'stop the service and restore a backup: operators guide, “The database is damaged or gone”',
  ],
  [
    /^database: .*(holds the lock|is locked)/,
    'find the other program that has the database open: fuser -v FILE; then the service continues',
  ],
  [
    /^database:/,
    'check for a full or read-only disk: df -h, and the log of the service; it continues once the disk is writable',
  ],
  [
    /^master socket:/,
    'check that HAProxy is running; blocks are stored, and enforced as soon as it answers',
    'start HAProxy if it is down; if it runs without this socket, restart it with the socket: proxy-manager attach. Blocks are stored, and enforced as soon as HAProxy answers',
  ],
  [/^map file:/, 'to rewrite it: proxy-manager sync'],
  [/^running map:/, 'the service compares and repairs it; to do so now: proxy-manager sync'],
  [/^a reload is scheduled/, 'the service runs it, and retries if it fails: see "last reload" above'],
  [/^supervision:/, 'the service restarts it; to see whether it could start: proxy-manager reload --dry-run'],
  [
    /^no worker/,
    'start HAProxy, or the service with --supervise; to see whether it could start: proxy-manager reload --dry-run',
    'start HAProxy: systemctl start haproxy; if it fails, see: journalctl -u haproxy',
  ],
  [
    /^current worker \d+: .* it has not loaded /,
    'the configuration does not use the map: add the rule and reload HAProxy',
  ],
  [
    /^certificates: /,
    'to see what is served and ordered: proxy-manager certificate list, proxy-manager certificate orders',
  ],
  [/^draining worker/, 'the service retries until it has the entry or has ended'],
  [/^current worker/, 'the service repairs it; to do so now: proxy-manager sync'],
];

/** Null if the reason needs no hint. */
export function whatToDo(reason: string, isAttached = false): string | null {
  const [, hint = null, attachedHint = hint] = remedies.find(([pattern]) => pattern.test(reason)) ?? [];
  return isAttached ? attachedHint : hint;
}
