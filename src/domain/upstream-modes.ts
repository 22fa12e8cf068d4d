// What an upstream says about its client, as one number: the value of its networks in the upstream map, which the
// template's rules compare (ADR 0061). Once released the numbers are frozen: map files contain them.

/** The request header in which an upstream names its client. */
export const upstreamHeaders = [
  'x-forwarded-for',
  'cf-connecting-ip',
  'true-client-ip',
  'fastly-client-ip',
  'x-real-ip',
] as const;
export type UpstreamHeader = (typeof upstreamHeaders)[number];

/**
 * What follows from a value that cannot be read: the request is answered with 400, or the upstream is taken to name no
 * client.
 */
export const invalidActions = ['reject', 'judge_upstream'] as const;
export type InvalidAction = (typeof invalidActions)[number];

export interface UpstreamBehavior {
  /** Null: it names the client by PROXY protocol only. */
  readonly header: UpstreamHeader | null;
  /** Of X-Forwarded-For: whether the walk goes on through further upstreams. Of the other headers always false. */
  readonly chain: boolean;
  /** Without a header always `reject`. */
  readonly onInvalid: InvalidAction;
}

export const chainMode = 1;
export const oneStepMode = 2;
/** The headers that hold one address. */
export const singleHeaderModes = {
  'cf-connecting-ip': 3,
  'true-client-ip': 4,
  'fastly-client-ip': 5,
  'x-real-ip': 6,
} as const satisfies Record<Exclude<UpstreamHeader, 'x-forwarded-for'>, number>;
export const proxyProtocolMode = 9;
/** Added to the modes of headers. */
export const judgeUpstreamOffset = 20;

/** The value in the upstream map. Throws RangeError for members that exclude each other. */
export function modeOf({ header, chain, onInvalid }: UpstreamBehavior): number {
  if (chain && header !== 'x-forwarded-for') throw new RangeError(`chain needs x-forwarded-for, not ${header}`);
  if (header === null) {
    if (onInvalid !== 'reject') throw new RangeError('on_invalid needs a header');
    return proxyProtocolMode;
  }
  const mode = header !== 'x-forwarded-for' ? singleHeaderModes[header] : chain ? chainMode : oneStepMode;
  return onInvalid === 'judge_upstream' ? mode + judgeUpstreamOffset : mode;
}

const behaviors: ReadonlyMap<number, UpstreamBehavior> = new Map(
  upstreamHeaders
    .flatMap((header) => [false, true].map((chain) => ({ header, chain })))
    .filter(({ header, chain }) => !chain || header === 'x-forwarded-for')
    .flatMap((one) => invalidActions.map((onInvalid): UpstreamBehavior => ({ ...one, onInvalid })))
    .concat({ header: null, chain: false, onInvalid: 'reject' })
    .map((behavior) => [modeOf(behavior), behavior]),
);

/** Null: no upstream has this value. */
export function behaviorOf(mode: number): UpstreamBehavior | null {
  return behaviors.get(mode) ?? null;
}

/** All values of upstreams. */
export const upstreamModes: readonly number[] = [...behaviors.keys()].sort((a, b) => a - b);
/** The same as HAProxy's patterns for integers: `1:6`, `9`, `21:26`. */
export const modePatterns: readonly string[] = rangesOf(upstreamModes);

function rangesOf(sorted: readonly number[]): string[] {
  const starts = sorted.filter((number) => !sorted.includes(number - 1));
  const ends = sorted.filter((number) => !sorted.includes(number + 1));
  return starts.map((start, index) => (start === ends[index] ? `${start}` : `${start}:${ends[index]}`));
}
