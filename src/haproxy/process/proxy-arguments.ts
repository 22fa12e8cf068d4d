// The words with which a HAProxy was started, read as its own `init_args` reads them.

export interface ProxyArguments {
  /** Files and folders, in their order, as they are written. */
  readonly files: readonly string[];
  /** Of `-C`: where relative files begin. */
  readonly workFolder: string | null;
  /** The first of `-S`, as it is written: a path, or an address such as `ipv4@127.0.0.1:9999`. */
  readonly masterSocket: string | null;
  /** Behind the first comma of `-S`: `['mode', '600']`. */
  readonly masterSocketOptions: readonly string[];
  readonly pidFile: string | null;
  /** It was asked for master-worker mode; `master-worker` in its configuration asks for it too. */
  readonly isMaster: boolean;
  /** It only checks its configuration, or says its version. */
  readonly isCheck: boolean;
}

/** Options that take the word behind them, whatever stands in the same word behind their letter (`-fFILE` is `-f`). */
const withValue = new Set(['f', 'C', 'S', 'p', 'L', 'n', 'm', 'N', 'x']);

/**
 * @param words the program first. After a reload `-sf PIDS -x SOCKET` comes before what HAProxy was started with.
 */
export function parseMasterWords(words: readonly string[]): ProxyArguments {
  const values = new Map<string, string[]>();
  const flags: string[] = [];
  let index = 1;
  while (index < words.length) {
    const word = words[index++] ?? '';
    if (word === '--') {
      append(values, 'f', ...words.slice(index));
      break;
    }
    // Pids behind `-sf`, or what `-dt` traces.
    if (!word.startsWith('-')) continue;
    const option = word.slice(1);
    const letter = option.charAt(0);
    flags.push(option);
    const value = withValue.has(letter) || option.startsWith('cc') ? words[index++] : undefined;
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
