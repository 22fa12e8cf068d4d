// Commands are counted by name alone: names are few and contain no address.
import { type Command, shownText } from './conversation-command.ts';
import type { SocketFailureReason } from './master-socket-error.ts';

/** In the order of matching, the most frequent first. `list maps` is `show map` without a map. */
export const commandNames = [
  'get map',
  'add map',
  'del map',
  'show proc',
  'show map',
  'list maps',
  'set map',
  'show stat',
  'show table',
  'prepare map',
  'commit map',
  'show servers state',
  'reload',
  'show ssl cert',
  'set ssl cert',
  'commit ssl cert',
  'other',
] as const;

export type CommandName = (typeof commandNames)[number];

/** Called for every reply: must be fast, and must not throw. */
export interface CommandObserver {
  /** Since the command was sent or the previous reply on the connection, including the time of a listing's reader. */
  answered(command: CommandName, milliseconds: number): void;
  failed(command: CommandName | 'connect', reason: SocketFailureReason): void;
}

export const unobserved: CommandObserver = { answered: () => undefined, failed: () => undefined };

export function commandNameOf(command: Command): CommandName {
  const text = shownText(command);
  const start = text.startsWith('@') ? text.indexOf(' ') + 1 : 0;
  for (const name of commandNames) {
    if (!text.startsWith(name, start)) continue;
    return name === 'show map' && text.length === start + name.length ? 'list maps' : name;
  }
  return 'other';
}
