import { parseOptions, wholeNumber } from '../../testkit/command-line.ts';

export interface LoadOptions {
  readonly clients: number;
  readonly seconds: number;
  readonly entries: number;
  readonly proxyBin: string;
  readonly thinkMs: number;
  readonly seed: number;
  /** Output file for the figures. */
  readonly json: string | null;
  readonly keep: boolean;
  readonly help: boolean;
}

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
  const values = parseOptions(args, {
    clients: { type: 'string', default: '200' },
    seconds: { type: 'string', default: '300' },
    entries: { type: 'string', default: '200000' },
    'proxy-bin': { type: 'string', default: 'haproxy' },
    'think-ms': { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    json: { type: 'string' },
    keep: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  });
  return {
    clients: wholeNumber('clients', values.clients, 1, 1_000),
    seconds: wholeNumber('seconds', values.seconds, 1, 86_400),
    entries: wholeNumber('entries', values.entries, 100, 2_000_000),
    proxyBin: values['proxy-bin'],
    thinkMs: wholeNumber('think-ms', values['think-ms'], 0, 60_000),
    seed: wholeNumber('seed', values.seed, 0, 0xffff_ffff),
    json: values.json ?? null,
    keep: values.keep,
    help: values.help,
  };
}
