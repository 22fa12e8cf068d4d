// What must be true of an address after a power failure: what its last acknowledged operation made of it, or what the
// one that was under way was to make of it.
import { heldBefore, type Operation } from './recording.ts';

/** Address → what it may be: blocked (true), not blocked (false), or either. */
export type Expected = ReadonlyMap<string, ReadonlySet<boolean>>;

/** @param acknowledged ids of the operations whose answer had left the service */
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

/** What is blocked and must not be, and the reverse; empty: all is as it may be. */
export function contradictions(expected: Expected, blocked: ReadonlySet<string>): string[] {
  const wrong: string[] = [];
  for (const [ip, allowed] of expected) {
    if (!allowed.has(blocked.has(ip))) wrong.push(`${ip} is ${blocked.has(ip) ? '' : 'not '}blocked`);
  }
  for (const ip of blocked) if (!expected.has(ip)) wrong.push(`${ip} is blocked, and was never requested`);
  return wrong;
}
