import type { Emit } from '../src/events/facts.ts';

export const noFacts: Emit = () => undefined;
