// Who owns which loopback address. All of them can be visited from, none lies in the list that fills the set.

/** Of each client: those that it blocks and unblocks at will, and one each for what must not be disturbed by that. */
const atWill = 24;

export interface Territory {
  readonly atWill: readonly string[];
  /** Trusted now and then; blocked only meanwhile. */
  readonly guest: string;
  /** Blocked for a moment only. */
  readonly passing: string;
}

/** @param client from 0 to 59,999 */
export function territoryOf(client: number): Territory {
  const at = (number: number): string => `${prefixOf(client)}${number}`;
  return {
    atWill: Array.from({ length: atWill }, (_, index) => at(index + 1)),
    guest: at(201),
    passing: at(202),
  };
}

/** The prefix of all addresses of one client, and of no other. */
export function prefixOf(client: number): string {
  return `127.${1 + Math.floor(client / 250)}.${client % 250}.`;
}

/** Belongs to no client: added and removed together, by any of them. */
export function crowd(first: number, size: number): string[] {
  return Array.from({ length: size }, (_, index) => `241.${first}.${index >>> 8}.${index & 255}`);
}
