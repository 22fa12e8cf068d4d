// What `/health` says, part by part, as one mark and one sentence each. Only what was seen is green.
import type { Health } from '../../api/types.ts';
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
    database.status === 'ok'
      ? { name: 'Database', tone: 'good', words: 'It reads and writes.' }
      : { name: 'Database', tone: 'bad', words: database.reason ?? 'It cannot be used.' },
    file.status === 'ok'
      ? { name: 'File', tone: 'good', words: `It holds ${count(file.entries)}, as it was written.` }
      : { name: 'File', tone: 'warn', words: file.reason ?? 'It is behind.' },
    socket.status === 'ok'
      ? { name: 'Connection to the proxy', tone: 'good', words: 'The proxy answers.' }
      : { name: 'Connection to the proxy', tone: 'bad', words: socket.reason ?? 'The proxy does not answer.' },
    runningMap(health),
    ...(workers.current === null
      ? [{ name: 'Worker', tone: 'bad' as const, words: 'No worker of the proxy is running.' }]
      : [worker(workers.current, 'Worker')]),
    ...workers.draining.map((old) => worker(old, 'Old worker')),
  ];
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

export type Remedy = 'sync' | 'reload' | null;

/** The one button that helps most. Null: none does; somebody has to look at the machine. */
export function remedyFor(health: Health): Remedy {
  if (health.status === 'ok' || health.database.status !== 'ok') return null;
  if (health.master_socket.status !== 'ok' || health.workers.current === null) return null;
  return health.scheduled_reload === null ? 'sync' : 'reload';
}
