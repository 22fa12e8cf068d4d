import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parseOptions, someOf, UsageError } from '../testkit/command-line.ts';

export interface Options {
  readonly sizes: readonly number[];
  readonly proxyBin: string;
  /** Null: all. */
  readonly only: readonly string[] | null;
  /** Output file for the figures. */
  readonly json: string | null;
  /** Files of addresses for the bulk rows. */
  readonly lists: readonly string[];
  readonly help: boolean;
}

export const most = 8_000_000;

export function usage(rows: readonly string[]): string {
  return `npm run bench -- [options]: the service and its floor (raw commands, commits and fsyncs of the same work)
side by side, in one run. A ratio is the service's figure over the floor's; for rates the reverse.

  --entries 1000,1000000  sizes of the set, alive at the same time (1 to ${most}); most rows take the largest
  --proxy-bin haproxy     which HAProxy
  --only block,sync       some of the rows: ${rows.join(', ')}
  --list FILE             a text list (or .gz), one address or network a line, for put and batch too; may be repeated
  --json FILE             the figures and the machine's facts as JSON
  --help                  this text
`;
}

/** @throws UsageError */
export function readOptions(args: readonly string[], rows: readonly string[]): Options {
  const values = parseOptions(args, {
    entries: { type: 'string', default: '1000,1000000' },
    'proxy-bin': { type: 'string', default: 'haproxy' },
    only: { type: 'string' },
    json: { type: 'string' },
    list: { type: 'string', multiple: true, default: [] },
    help: { type: 'boolean', default: false },
  });
  if (values.help) return { sizes: [], proxyBin: '', only: null, json: null, lists: [], help: true };
  return {
    sizes: sizesOf(values.entries),
    proxyBin: values['proxy-bin'],
    only: values.only === undefined ? null : someOf('only', values.only, rows),
    json: values.json === undefined ? null : writable(values.json),
    lists: values.list.map(readable),
    help: false,
  };
}

function sizesOf(text: string): number[] {
  const sizes = text.split(',').map((word) => (/^\d+$/.test(word.trim()) ? Number(word) : Number.NaN));
  if (!sizes.every((size) => size >= 1 && size <= most)) {
    throw new UsageError(`--entries takes whole numbers from 1 to ${most} with commas, not ${JSON.stringify(text)}`);
  }
  return [...new Set(sizes)].sort((a, b) => a - b);
}

/** Checked before an hour of measuring. */
function writable(path: string): string {
  const whole = resolve(path);
  try {
    accessSync(existsSync(whole) ? whole : dirname(whole), constants.W_OK);
  } catch (error) {
    throw new UsageError(`--json cannot be written: ${(error as Error).message}`, { cause: error });
  }
  if (statSync(whole, { throwIfNoEntry: false })?.isDirectory() === true) {
    throw new UsageError(`--json takes a file; ${path} is a folder`);
  }
  return whole;
}

function readable(path: string): string {
  const whole = resolve(path);
  try {
    accessSync(whole, constants.R_OK);
  } catch (error) {
    throw new UsageError(`--list cannot be read: ${(error as Error).message}`, { cause: error });
  }
  if (!statSync(whole).isFile()) throw new UsageError(`--list takes a file; ${path} is none`);
  return whole;
}
