/** What events are about: the filter of the live list. */
export const eventKinds = [
  { kind: 'blocking', label: 'Blocking', firstWords: ['entry', 'entries', 'sync', 'drift'] },
  { kind: 'trust', label: 'Trust', firstWords: ['trust'] },
  { kind: 'configuration', label: 'Sites and configuration', firstWords: ['site', 'reload'] },
  { kind: 'keys', label: 'Keys and webhooks', firstWords: ['key', 'webhook'] },
  { kind: 'health', label: 'Health', firstWords: ['health', 'worker', 'service'] },
] as const;

export type EventKind = (typeof eventKinds)[number]['kind'];

/** Null: of none; such an event is always shown. */
export function kindOf(type: string): EventKind | null {
  const first = type.split('.')[0] as string;
  return eventKinds.find(({ firstWords }) => (firstWords as readonly string[]).includes(first))?.kind ?? null;
}
