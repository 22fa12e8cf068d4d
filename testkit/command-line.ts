// What the command lines of the chaos programs and of the benchmark have in common: how they are read and refused.
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';

/** The message says which option is wrong and what it takes. */
export class UsageError extends Error {}

/**
 * The options as text and truth values, those that are missing with their defaults; nothing but options is taken.
 * @throws UsageError
 */
export function parseOptions<const T extends ParseArgsOptionsConfig>(args: readonly string[], options: T) {
  try {
    return parseArgs({ args: [...args], options }).values;
  } catch (error) {
    throw new UsageError((error as Error).message, { cause: error });
  }
}

/** @throws UsageError for what is no whole number from `least` to `most` */
export function wholeNumber(name: string, text: string, least: number, most: number): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  throw new UsageError(`--${name} takes a whole number from ${least} to ${most}, not ${JSON.stringify(text)}`);
}

/** Names with commas between them. @throws UsageError when one of them, an empty one too, is not known */
export function someOf(name: string, text: string, known: readonly string[]): string[] {
  const names = text.split(',').map((word) => word.trim());
  const unknown = names.find((word) => !known.includes(word));
  if (unknown === undefined) return names;
  throw new UsageError(`--${name} takes some of ${known.join(', ')} with commas; ${JSON.stringify(unknown)} is none`);
}
