import type { Fault } from '../fault.ts';
import { operatorOf } from './operator-of.ts';

/** Harmless edits and reloads, several times in a row. */
export const operatorEdits: Fault = {
  name: 'operator-edits',
  holds: 'operator',
  excuses: {},
  async strike(stack, random) {
    const operator = operatorOf(stack);
    const edits: string[] = [];
    for (let times = random.pick([1, 1, 2, 3]); times > 0; times -= 1) {
      edits.push(await operator.edit(random.pick(['comment', 'timeout', 'front end'])));
    }
    return { detail: edits.join(', '), heal: () => operator.loaded() };
  },
};
