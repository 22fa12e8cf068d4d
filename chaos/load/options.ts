// What the command line of the load says.
import { parseArgs } from 'node:util';

export interface LoadOptions {
  readonly clients: number;
  readonly seconds: number;
  readonly entries: number;
  readonly proxyBin: string;
  readonly thinkMs: number;
  readonly seed: number;
  /** Where the figures go as JSON; null: nowhere. */
  readonly json: string | null;
  readonly keep: boolean;
  readonly help: boolean;
}

/** The message says which option is wrong and what it takes. */
export class UsageError extends Error {}

export const usage = `npm run chaos:load -- [options]: many clients at once with a mix of everything, each answer judged.

  --clients 200        at once, 1 to 1000
  --seconds 300        how long; from 180 on memory and the like have to stay flat
  --entries 200000     what the set holds beside the clients' own addresses, 100 to 2000000
  --proxy-bin haproxy  which HAProxy
  --think-ms 200       between an answer and the next request of a client, on average
  --seed 1             of what is chosen by chance
  --json FILE          everything that was measured, each second, as JSON
  --keep               leave the folder of the stack behind, with its logs
  --help               this text
`;

/** @throws UsageError */
export function readOptions(args: readonly string[]): LoadOptions {
  const values = parse(args);
  return {
    clients: whole('clients', values.clients, 1, 1_000),
    seconds: whole('seconds', values.seconds, 1, 86_400),
    entries: whole('entries', values.entries, 100, 2_000_000),
    proxyBin: values['proxy-bin'],
    thinkMs: whole('think-ms', values['think-ms'], 0, 60_000),
    seed: whole('seed', values.seed, 0, 0xffff_ffff),
    json: values.json ?? null,
    keep: values.keep,
    help: values.help,
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        clients: { type: 'string', default: '200' },
        seconds: { type: 'string', default: '300' },
        entries: { type: 'string', default: '200000' },
        'proxy-bin': { type: 'string', default: 'haproxy' },
        'think-ms': { type: 'string', default: '200' },
        seed: { type: 'string', default: '1' },
        json: { type: 'string' },
        keep: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    throw new UsageError((error as Error).message, { cause: error });
  }
}

function whole(name: string, text: string, least: number, most: number): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  throw new UsageError(`--${name} takes a whole number from ${least} to ${most}, not ${JSON.stringify(text)}`);
}
