// The default seed is fixed, so two runs of one commit test the same values.
import { env } from 'node:process';

export const seedVariable = 'PROXY_MANAGER_TEST_SEED';
const defaultSeed = 4;

export const testSeed: number = seedFrom(env[seedVariable]);

/** @throws Error unless missing, empty or an integer from 0 to 2147483647 */
export function seedFrom(value: string | undefined): number {
  if (value === undefined || value === '') return defaultSeed;
  const seed = /^\d{1,10}$/.test(value) ? Number(value) : Number.NaN;
  // fast-check uses 32 bits with a sign.
  if (seed <= 0x7fff_ffff) return seed;
  throw new Error(`${seedVariable} is ${JSON.stringify(value)}; set it to a whole number from 0 to ${0x7fff_ffff}`);
}
