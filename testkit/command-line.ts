// Shared by the command lines of chaos and bench.
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';

export class UsageError extends Error {}

/** Options as text and booleans, with defaults; rejects operands. @throws UsageError */
export function parseOptions<const T extends ParseArgsOptionsConfig>(args: readonly string[], options: T) {
  try {
    return parseArgs({ args: [...args], options }).values;
  } catch (error) {
    throw new UsageError((error as Error).message, { cause: error });
  }
}

/** @throws UsageError unless it is an integer from `least` to `most` */
export function wholeNumber(name: string, text: string, least: number, most: number): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  throw new UsageError(`--${name} takes a whole number from ${least} to ${most}, not ${JSON.stringify(text)}`);
}

/** Splits a comma-separated list. @throws UsageError for an unknown or empty name */
export function someOf(name: string, text: string, known: readonly string[]): string[] {
  const names = text.split(',').map((word) => word.trim());
  const unknown = names.find((word) => !known.includes(word));
  if (unknown === undefined) return names;
  throw new UsageError(`--${name} takes some of ${known.join(', ')} with commas; ${JSON.stringify(unknown)} is none`);
}
