// What the palette offers for a text.
import { parseIp } from '../../../../src/domain/ip.ts';

export interface Command {
  readonly id: string;
  readonly group: 'Address' | 'Pages' | 'Saved views' | 'Sites' | 'Actions';
  readonly label: string;
  readonly about?: string;
  /** Further words by which it is found. */
  readonly keywords?: string;
  readonly run: () => void;
}

const verbs = /^\s*(block|check|unblock|find|trust)\s+/i;

/** The command for an address that a text such as `block 198.51.100.7` begins with; null: none. */
export function verbIn(text: string): string | null {
  return verbs.exec(text)?.[1]?.toLowerCase() ?? null;
}

/** The address or network in a text such as `198.51.100.7` or `block 198.51.100.7`; null: none. */
export function addressIn(text: string): string | null {
  const parse = parseIp(text.replace(verbs, '').trim());
  return parse.ok ? parse.entry.text : null;
}

/** The commands with each of the words, in their order. */
export function matching(commands: readonly Command[], text: string): Command[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return commands.filter(({ label, group, keywords = '' }) => {
    const known = `${label} ${group} ${keywords}`.toLowerCase();
    return words.every((word) => known.includes(word));
  });
}

/** The first `most` of each group, in the order of the groups' first commands. */
export function grouped(commands: readonly Command[], most: number): ReadonlyMap<Command['group'], readonly Command[]> {
  const groups = new Map<Command['group'], Command[]>();
  for (const command of commands) {
    const group = groups.get(command.group) ?? [];
    if (group.length < most) group.push(command);
    groups.set(command.group, group);
  }
  return groups;
}
