// Only failures count, so a valid key is never delayed.
import { isIPv6 } from 'node:net';
import { parseIp } from '../domain/ip.ts';

interface FailureLimits {
  readonly failures: number;
  readonly windowMs: number;
  /** The oldest is dropped first. */
  readonly addresses: number;
}

const DEFAULTS: FailureLimits = { failures: 20, windowMs: 60_000, addresses: 10_000 };

interface Window {
  failures: number;
  readonly endsAt: number;
}

export class FailureLimiter {
  readonly #windows = new Map<string, Window>();
  readonly #limits: FailureLimits;
  readonly #now: () => number;

  constructor(now: () => number, limits: FailureLimits = DEFAULTS) {
    this.#now = now;
    this.#limits = limits;
  }

  /** Returns the seconds until the address may fail again; null: now. */
  fail(address: string): number | null {
    const now = this.#now();
    const source = sourceOf(address);
    const known = this.#windows.get(source);
    const window = known === undefined || known.endsAt <= now ? this.#open(source, now) : known;
    window.failures += 1;
    return window.failures > this.#limits.failures ? Math.max(1, Math.ceil((window.endsAt - now) / 1000)) : null;
  }

  #open(source: string, now: number): Window {
    const window = { failures: 0, endsAt: now + this.#limits.windowMs };
    // Orders the map by the start of the window.
    this.#windows.delete(source);
    this.#windows.set(source, window);
    const oldest = this.#windows.keys().next();
    if (this.#windows.size > this.#limits.addresses && !oldest.done) this.#windows.delete(oldest.value);
    return window;
  }
}

/** An IPv6 address counts as its /64, which one client usually has; link-local ones (`fe80::1%eth0`) too. */
export function sourceOf(address: string): string {
  if (!isIPv6(address)) return address;
  const parsed = parseIp(address.replace(/%.*$/s, ''));
  if (!parsed.ok || parsed.entry.family === 4) return address;
  return `${parsed.entry.words[0]}:${parsed.entry.words[1]}`;
}
