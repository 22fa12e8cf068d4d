// One thing that happened in the service, as the event stream tells it.

export interface ServiceEvent {
  /** Where to read on from; names the run of the service too. */
  readonly id: string;
  /** Such as `entry.blocked`; `gap`: what came before is not here any more. */
  readonly type: string;
  /** ISO 8601; of a gap, when this page heard of it. */
  readonly at: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Null: not an event in the form that is promised. */
export function readServiceEvent(text: string, heardAt: number): ServiceEvent | null {
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch {
    // Told to the reader as no event; there is nothing else to do with it.
    return null;
  }
  if (!isRecord(read)) return null;
  const { id, type, at = new Date(heardAt).toISOString(), data } = read;
  if (typeof id !== 'string' || typeof type !== 'string' || typeof at !== 'string' || !isRecord(data)) return null;
  return { id, type, at, data };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
