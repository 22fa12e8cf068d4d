// The command helper of rule 6.
import type { Conversation } from '../socket/conversation.ts';
import { type Command, PayloadCommand } from '../socket/conversation-command.ts';
import { RuntimeMapRejection } from './runtime-map-rejection.ts';

/** Commands that are under way at a time; the rest is never sent once one was rejected. */
const WINDOW = 64;

export interface Expectation {
  /** Any non-empty body is a rejection, even one that matches no known text. Default true: for mutating commands. */
  readonly expectEmpty?: boolean;
  /** Non-empty bodies that are good all the same, such as `Key not found.` after `del map`. */
  readonly alsoGood?: readonly string[];
}

/** Returns the bodies. A rejection carries those of its window up to and including the bad one (`responses`). */
export async function runMapCommands(
  conversation: Conversation,
  commands: readonly Command[],
  { expectEmpty = true, alsoGood = [] }: Expectation = {},
): Promise<string[]> {
  const all: string[] = [];
  for (let from = 0; from < commands.length; from += WINDOW) {
    const window = commands.slice(from, from + WINDOW);
    const bodies = await conversation.send(window);
    const bad = expectEmpty ? bodies.findIndex((body) => body !== '' && !alsoGood.includes(body)) : -1;
    if (bad !== -1) {
      const command = window[bad] ?? '';
      const text = command instanceof PayloadCommand ? command.wire : command;
      throw new RuntimeMapRejection(text, bodies.slice(0, bad + 1));
    }
    for (const body of bodies) all.push(body);
  }
  return all;
}
