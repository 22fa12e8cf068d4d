// Who counts and times what is said to the proxy. Commands go by their names alone: there are a handful of those, and no
// address is among them.
import { type Command, PayloadCommand } from './conversation-command.ts';
import type { SocketFailureReason } from './master-socket-error.ts';

/** Those most said first: they are looked for in this order. `list maps` is `show map` without a map. */
export const commandNames = [
  'get map',
  'add map',
  'del map',
  'show proc',
  'show map',
  'list maps',
  'set map',
  'show stat',
  'prepare map',
  'commit map',
  'show servers state',
  'reload',
  'other',
] as const;

export type CommandName = (typeof commandNames)[number];

/** Called for every reply: it must be quick, and must not throw. */
export interface CommandObserver {
  /** Since the command was sent, or since the reply before it on the same connection; a listing's reader counted in. */
  answered(command: CommandName, milliseconds: number): void;
  /** `connect`: there was no connection to send anything on. */
  failed(command: CommandName | 'connect', reason: SocketFailureReason): void;
}

/** For whoever wants to hear nothing. */
export const unobserved: CommandObserver = { answered: () => undefined, failed: () => undefined };

export function commandNameOf(command: Command): CommandName {
  const text = command instanceof PayloadCommand ? command.wire : command;
  const start = text.startsWith('@') ? text.indexOf(' ') + 1 : 0;
  for (const name of commandNames) {
    if (!text.startsWith(name, start)) continue;
    return name === 'show map' && text.length === start + name.length ? 'list maps' : name;
  }
  return 'other';
}
