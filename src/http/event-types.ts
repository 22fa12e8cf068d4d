import type { EventsService } from './services.ts';

/** Whether one of them is no type of event. */
export function unknownTypes(types: readonly string[], events: Pick<EventsService, 'types'>): boolean {
  const known = new Set(events.types());
  return types.some((type) => !known.has(type));
}
