import { parseOptions, someOf, UsageError, wholeNumber } from '../testkit/command-line.ts';

export interface Options {
  readonly rounds: number;
  readonly seed: number;
  /** First round; null: continue after the last one of the file, or 1. */
  readonly from: number | null;
  readonly proxyBin: string;
  readonly attached: boolean;
  readonly certificates: boolean;
  readonly faults: readonly string[];
  /** As given, for the command that repeats a round; null: all faults. */
  readonly only: string | null;
  /** Output file, one JSON line a round. */
  readonly out: string | null;
  /** Leave the stack of a failed round running. */
  readonly keep: boolean;
  /** Maximum of runs to reduce a failed round; 0: none. */
  readonly shrink: number;
  /** Print every round, not only failed ones. */
  readonly verbose: boolean;
  readonly help: boolean;
}

/** The names of the faults for each kind of stack. */
interface FaultNames {
  readonly managed: readonly string[];
  readonly attached: readonly string[];
  readonly certificates: readonly string[];
}

export function usage({ managed, attached, certificates }: FaultNames): string {
  return `npm run chaos -- [options]: a real service and a real HAProxy, many clients, and faults at random moments;
after each round every promise is checked. The program of a round depends on seed, round and list of faults only.

  --rounds 20             how many rounds
  --seed 1                of everything random
  --from 1                number of the first round; default: after the last one in --out, else 1
  --proxy-bin haproxy     which HAProxy
  --only a,b              some of the faults: ${managed.join(', ')}; none: no faults
  --attached              the service is attached to a HAProxy that an operator runs and configures. The faults then:
                          ${attached.join(', ')}
  --certificates          the service orders certificates from an authority that refuses half of the nonces; each is issued
                          once and served. More faults: ${certificates.filter((name) => !managed.includes(name)).join(', ')}
  --out FILE              append the results, one JSON line a round
  --shrink 30             how often a failing round is run again to make it smaller; 0: never
  --keep                  leave the stack of a failing round running, and say where it is
  --verbose               print what happened in every round
  --help                  this text
`;
}

/** @throws UsageError */
export function readOptions(args: readonly string[], names: FaultNames): Options {
  const values = parseOptions(args, {
    rounds: { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
    from: { type: 'string' },
    'proxy-bin': { type: 'string', default: 'haproxy' },
    only: { type: 'string' },
    attached: { type: 'boolean', default: false },
    certificates: { type: 'boolean', default: false },
    out: { type: 'string' },
    keep: { type: 'boolean', default: false },
    shrink: { type: 'string', default: '30' },
    verbose: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  });
  if (values.attached && values.certificates) throw new UsageError('--attached and --certificates exclude each other');
  const faults = values.attached ? names.attached : values.certificates ? names.certificates : names.managed;
  return {
    rounds: wholeNumber('rounds', values.rounds, 1, 1_000_000),
    seed: wholeNumber('seed', values.seed, 0, 0xffff_ffff),
    from: values.from === undefined ? null : wholeNumber('from', values.from, 1, 1_000_000_000),
    proxyBin: values['proxy-bin'],
    attached: values.attached,
    certificates: values.certificates,
    faults: values.only === undefined ? faults : faultsOf(values.only, faults),
    only: values.only ?? null,
    out: values.out ?? null,
    keep: values.keep,
    shrink: wholeNumber('shrink', values.shrink, 0, 10_000),
    verbose: values.verbose,
    help: values.help,
  };
}

function faultsOf(text: string, faults: readonly string[]): string[] {
  return text === 'none' ? [] : someOf('only', text, faults);
}
