// Owners of loopback addresses. None is in the list that fills the set.

/** Per client, besides one address for each special purpose. */
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

/** Of this client's addresses only. */
export function prefixOf(client: number): string {
  return `127.${1 + Math.floor(client / 250)}.${client % 250}.`;
}

/** Owned by no client: added and removed together. */
export function crowd(first: number, size: number): string[] {
  return Array.from({ length: size }, (_, index) => `241.${first}.${index >>> 8}.${index & 255}`);
}
