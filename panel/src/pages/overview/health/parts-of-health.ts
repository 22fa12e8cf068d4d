// The parts of `/health`, each as a tone and a text. Only what was verified is green.

import { count, counted } from '../../../../../src/domain/counted.ts';
import type { Attached, Health } from '../../../api/types.ts';
import { isAboutCertificate, isAboutFrontEnd, unprotectedFrontEnds } from '../../../app/enforcement.ts';
import { sentence } from '../../../parts/problem-alert.tsx';
import type { Tone } from '../../../parts/state-mark.tsx';

export interface HealthPart {
  readonly name: string;
  readonly tone: Tone;
  readonly words: string;
}

export function partsOf(health: Health): HealthPart[] {
  const { database, map_file: file, master_socket: socket, workers } = health;
  const worker =
    socket.status === 'ok'
      ? workerPart
      : (...facts: Parameters<typeof workerPart>) => asLastKnown(workerPart(...facts));
  return [
    partOf('Database', database, 'OK', 'bad', 'Unavailable'),
    partOf('Map file', file, entries(file.entries), 'warn', 'Out of date'),
    partOf('Master socket', socket, 'OK', 'bad', 'HAProxy does not respond'),
    runningMap(health),
    ...(workers.current === null
      ? [{ name: 'Worker', tone: 'bad' as const, words: 'No HAProxy worker is running' }]
      : [worker(workers.current, 'Worker')]),
    ...workers.draining.map((old) => worker(old, 'Draining worker')),
    ...(health.attached ? [frontEnds(health.attached)] : []),
  ];
}

function frontEnds({ front_ends: all, changed_since_load: changed }: Attached): HealthPart {
  const name = 'Front ends';
  const bare = all.filter(({ has_rule, open }) => !has_rule && !open).map((one) => one.name);
  if (bare.length > 0) return { name, tone: 'bad', words: `Not blocked in ${bare.join(', ')}: no rule` };
  if (all.length === 0) return { name, tone: 'unknown', words: 'Unknown' };
  const denying = all.filter(({ has_rule }) => has_rule).length;
  const words = `${denying} of ${all.length} deny blocked addresses${denying < all.length ? '; the others are exempt (PROXY_MANAGER_OPEN_FRONT_ENDS)' : ''}`;
  if (changed === null)
    return { name, tone: 'unknown', words: `${words}. It is not known whether HAProxy has loaded these files.` };
  return { name, tone: 'good', words: changed ? `${words}. The files changed since HAProxy loaded them.` : words };
}

function partOf(
  name: string,
  { status, reason }: { readonly status: string; readonly reason: string | null },
  good: string,
  tone: Tone,
  bad: string,
): HealthPart {
  if (status === 'ok') return { name, tone: 'good', words: good };
  // Not checked in time: neither good nor bad.
  if (status === 'unknown') return { name, tone: 'unknown', words: `Unknown: ${reason ?? 'no answer in time'}` };
  return { name, tone, words: reason === null ? bad : sentence(reason) };
}

/** A part that cannot be checked now is not green. */
export function asLastKnown({ name, words }: HealthPart): HealthPart {
  return { name, tone: 'unknown', words: `Unknown. Last known: ${words}` };
}

function runningMap({ runtime_map: { expected, seen, big_change: change }, workers }: Health): HealthPart {
  const name = 'Running map';
  if (seen === null)
    return { name, tone: 'unknown', words: `Unknown: HAProxy could not be queried. Expected: ${entries(expected)}` };
  if (change !== null && seen !== expected) {
    const words = `Bulk change running: ${count(seen)} of ${entries(expected)}`;
    return { name, tone: 'unknown', words };
  }
  // The right number may be of wrong entries. The worker's own part reports what was found.
  if (seen === expected && workers.current?.whole !== true)
    return {
      name,
      tone: 'unknown',
      words: `${entries(expected)}, as expected, but not verified`,
    };
  if (seen === expected) return { name, tone: 'good', words: `${count(seen)} of ${entries(expected)}` };
  return { name, tone: 'warn', words: `${count(seen)} of ${entries(expected)}` };
}

function workerPart({ pid, whole, reason }: NonNullable<Health['workers']['current']>, name: string): HealthPart {
  const draining = name === 'Draining worker';
  return whole
    ? {
        name: `${name} ${pid}`,
        tone: 'good',
        words: `All entries verified${draining ? ', finishing its last connections' : ''}`,
      }
    : {
        name: `${name} ${pid}`,
        tone: 'warn',
        words: `${sentence(reason ?? 'not verified yet')}${draining ? ' Finishing its last connections.' : ''}`,
      };
}

function entries(count: number): string {
  return counted(count, 'entry', 'entries');
}

export function manualFix({ database, master_socket: socket, workers, reasons }: Health): string {
  const lead = 'This cannot be fixed here.';
  const isServed = socket.status === 'ok' && workers.current?.whole === true;
  const served = isServed ? ' Meanwhile HAProxy keeps serving sites and denying blocked addresses.' : '';
  if (database.status === 'down') return `${lead} Check the disk of the service: free space and permissions.${served}`;
  if (reasons.some((reason) => reason.startsWith('supervision: ')))
    return `${lead} The service cannot start HAProxy, for the reason listed. Once that is resolved, HAProxy starts automatically.`;
  if (socket.status === 'down')
    return `${lead} HAProxy does not respond. With --supervise, the service restarts it. Otherwise check it, for example: systemctl status haproxy`;
  return `${lead} HAProxy has no worker. Check its log and start it again.`;
}

export type Remedy = 'front-ends' | 'certificates' | 'sync' | 'reload';

/** The most urgent first; none: nothing here can help. */
export function remediesFor(health: Health): readonly Remedy[] {
  if (health.status === 'ok' || health.database.status === 'down') return [];
  if (health.master_socket.status === 'down' || health.workers.current === null) return [];
  const { reasons } = health;
  const others = reasons.some((reason) => !isAboutFrontEnd(reason) && !isAboutCertificate(reason));
  return [
    ...(unprotectedFrontEnds(health).length > 0 ? (['front-ends'] as const) : []),
    ...(others ? ([health.scheduled_reload === null ? 'sync' : 'reload'] as const) : []),
    ...(reasons.some(isAboutCertificate) ? (['certificates'] as const) : []),
  ];
}
