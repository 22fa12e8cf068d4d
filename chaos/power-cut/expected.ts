// After a power failure an address has the state of its last acknowledged operation, or of the one under way.
import { heldBefore, type Operation } from './recording.ts';

/** Allowed states by address: blocked (true), not blocked (false), or both. */
export type Expected = ReadonlyMap<string, ReadonlySet<boolean>>;

/** @param acknowledged ids of operations whose answer had been sent */
export function expectedAfter(operations: readonly Operation[], acknowledged: ReadonlySet<string>): Expected {
  const certain = new Map<string, boolean>(heldBefore.map((ip) => [ip, true]));
  const unknown = new Map<string, boolean>();
  for (const { id, changes } of operations) {
    for (const [ip, blocked] of changes) {
      if (acknowledged.has(id)) {
        certain.set(ip, blocked);
        unknown.delete(ip);
      } else if (!unknown.has(ip)) unknown.set(ip, blocked);
    }
  }
  const addresses = new Set([...certain.keys(), ...unknown.keys()]);
  return new Map(
    [...addresses].map((ip) => {
      const next = unknown.get(ip);
      return [ip, new Set([certain.get(ip) ?? false, ...(next === undefined ? [] : [next])])] as const;
    }),
  );
}

/** Addresses that are blocked and must not be, and the reverse. */
export function contradictions(expected: Expected, blocked: ReadonlySet<string>): string[] {
  const wrong: string[] = [];
  for (const [ip, allowed] of expected) {
    if (!allowed.has(blocked.has(ip))) wrong.push(`${ip} is ${blocked.has(ip) ? '' : 'not '}blocked`);
  }
  for (const ip of blocked) if (!expected.has(ip)) wrong.push(`${ip} is blocked, and was never requested`);
  return wrong;
}
