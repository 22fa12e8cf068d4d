// Parses arguments like HAProxy's own `init_args`.

export interface ProxyArguments {
  /** As written, in their order. */
  readonly files: readonly string[];
  /** `-C`: the folder to which relative names refer. */
  readonly workFolder: string | null;
  /** The first `-S`, as written: a path, or an address such as `ipv4@127.0.0.1:9999`. */
  readonly masterSocket: string | null;
  /** Behind the first comma of `-S`: `['mode', '600']`. */
  readonly masterSocketOptions: readonly string[];
  readonly pidFile: string | null;
  /** By argument; `master-worker` in the configuration has the same effect. */
  readonly isMaster: boolean;
  readonly isCheck: boolean;
}

/** Options whose value is the next argument, whatever follows their letter (`-fFILE` is `-f`). */
const withValue = new Set(['f', 'C', 'S', 'p', 'L', 'n', 'm', 'N', 'x']);

/** @param args starting with the program. After a reload `-sf PIDS -x SOCKET` precedes the original arguments. */
export function parseProxyArguments(args: readonly string[]): ProxyArguments {
  const values = new Map<string, string[]>();
  const flags: string[] = [];
  let index = 1;
  while (index < args.length) {
    const arg = args[index++] ?? '';
    if (arg === '--') {
      append(values, 'f', ...args.slice(index));
      break;
    }
    // The pids of `-sf`, or the traces of `-dt`.
    if (!arg.startsWith('-')) continue;
    const option = arg.slice(1);
    const letter = option.charAt(0);
    flags.push(option);
    const value = withValue.has(letter) || option.startsWith('cc') ? args[index++] : undefined;
    if (value !== undefined) append(values, letter, value);
  }
  const [masterSocket = null, ...masterSocketOptions] = values.get('S')?.[0]?.split(',') ?? [];
  return {
    files: values.get('f') ?? [],
    workFolder: values.get('C')?.at(-1) ?? null,
    masterSocket,
    masterSocketOptions,
    pidFile: values.get('p')?.at(-1) ?? null,
    isMaster: flags.some((flag) => flag.startsWith('W')),
    isCheck: flags.some((flag) => /^[cv]/.test(flag)),
  };
}

function append(values: Map<string, string[]>, letter: string, ...more: readonly string[]): void {
  values.set(letter, [...(values.get(letter) ?? []), ...more]);
}
