// What `/health` says, part by part, as one mark and one sentence each. Only what was seen is green.
import type { Attached, Health } from '../../api/types.ts';
import type { Tone } from '../../parts/state-mark.tsx';

export interface HealthPart {
  readonly name: string;
  readonly tone: Tone;
  readonly words: string;
}

export function partsOf(health: Health): HealthPart[] {
  const { database, map_file: file, master_socket: socket, workers } = health;
  const worker =
    socket.status === 'ok' ? workerPart : (...seen: Parameters<typeof workerPart>) => asItWas(workerPart(...seen));
  return [
    partOf('Database', database, 'It reads and writes.', 'bad', 'It cannot be used.'),
    partOf('File', file, `It holds ${count(file.entries)}, as it was written.`, 'warn', 'It is behind.'),
    partOf('Connection to the proxy', socket, 'The proxy answers.', 'bad', 'The proxy does not answer.'),
    runningMap(health),
    ...(workers.current === null
      ? [{ name: 'Worker', tone: 'bad' as const, words: 'No worker of the proxy is running.' }]
      : [worker(workers.current, 'Worker')]),
    ...workers.draining.map((old) => worker(old, 'Old worker')),
    ...(health.attached ? [frontEnds(health.attached)] : []),
  ];
}

/** Of a configuration that others write. */
function frontEnds({ front_ends: all, changed_since_load: isStale }: Attached): HealthPart {
  const name = 'Front ends';
  const bare = all.filter(({ has_rule, open }) => !has_rule && !open).map((one) => one.name);
  if (bare.length > 0) return { name, tone: 'bad', words: `No rule for blocked addresses in ${bare.join(', ')}.` };
  if (all.length === 0) return { name, tone: 'unknown', words: 'It is not known what they do.' };
  const denying = all.filter(({ has_rule }) => has_rule).length;
  const words = `${denying} of ${all.length} deny what is blocked${denying < all.length ? ', the others are open on purpose' : ''}.`;
  return { name, tone: 'good', words: isStale ? `${words} The files were changed since HAProxy loaded them.` : words };
}

function partOf(
  name: string,
  { status, reason }: { readonly status: string; readonly reason: string | null },
  well: string,
  tone: Tone,
  wrong: string,
): HealthPart {
  if (status === 'ok') return { name, tone: 'good', words: well };
  // It did not answer in time: neither well nor wrong.
  if (status === 'unknown') return { name, tone: 'unknown', words: `Not known: ${reason ?? 'no answer in time'}.` };
  return { name, tone, words: reason ?? wrong };
}

/** What cannot be asked now is not green any more. */
export function asItWas({ name, words }: HealthPart): HealthPart {
  return { name, tone: 'unknown', words: `Not known now. Last: ${words.charAt(0).toLowerCase()}${words.slice(1)}` };
}

function runningMap({ runtime_map: { expected, seen, big_change: change }, workers }: Health): HealthPart {
  const name = 'Running proxy';
  if (seen === null)
    return { name, tone: 'unknown', words: `Not known: it could not be asked. It should hold ${count(expected)}.` };
  if (change !== null && seen !== expected) {
    const words = `A big change is under way: it holds ${count(seen)}, and the database ${count(expected)}.`;
    return { name, tone: 'unknown', words };
  }
  // A number alone proves nothing: others may be there in their place. The worker's own part says what was found.
  if (seen === expected && workers.current?.whole !== true)
    return {
      name,
      tone: 'unknown',
      words: `It holds as many as it should, ${count(expected)}; not proved to be these.`,
    };
  if (seen === expected) return { name, tone: 'good', words: `It holds all ${count(expected)}.` };
  return { name, tone: 'warn', words: `It holds ${seen.toLocaleString()} of ${count(expected)}.` };
}

function workerPart({ pid, whole, reason }: NonNullable<Health['workers']['current']>, name: string): HealthPart {
  const old = name === 'Old worker' ? ' It finishes its last connections.' : '';
  return whole
    ? { name: `${name} ${pid}`, tone: 'good', words: `It was seen to hold every entry.${old}` }
    : { name: `${name} ${pid}`, tone: 'warn', words: `${reason ?? 'It was not compared yet.'}${old}` };
}

function count(entries: number): string {
  return entries === 1 ? '1 entry' : `${entries.toLocaleString()} entries`;
}

/** What no button of the page can mend, and what to do about it. What the service itself says goes first. */
export function byHand({ database, master_socket: socket, reasons }: Health): string {
  const lead = 'No button here mends this: ';
  if (database.status === 'down') return `${lead}look at the disk of the service, its space and its rights.`;
  if (reasons.some((reason) => reason.startsWith('supervision: ')))
    return `${lead}the service cannot start HAProxy. The reason is beside; once it is gone, HAProxy is started by itself.`;
  if (socket.status === 'down')
    return `${lead}HAProxy does not answer. Where the service supervises it, it is started again by itself; otherwise look at it, for example: systemctl status haproxy.`;
  return `${lead}HAProxy has no worker. Look at its own messages and start it again.`;
}

export type Remedy = 'sync' | 'reload' | null;

/** The one button that helps most. Null: none does; somebody has to look at the machine. */
export function remedyFor(health: Health): Remedy {
  if (health.status === 'ok' || health.database.status === 'down') return null;
  if (health.master_socket.status === 'down' || health.workers.current === null) return null;
  return health.scheduled_reload === null ? 'sync' : 'reload';
}
