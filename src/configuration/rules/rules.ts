import { type SectionLine, unknown } from './proxy-sections.ts';
import type { Acls } from './rule-conditions.ts';

/** A line `http-request …` or `tcp-request PHASE …`. */
export interface Rule {
  readonly place: string;
  readonly phase: Phase;
  readonly action: string;
  readonly effect: Effect;
  /** From `if` or `unless` on; empty: none. Unknown: it depends on the environment, or its start is not certain. */
  readonly condition: readonly string[] | typeof unknown;
  /** Whether HAProxy reads it depends on an `.if`. */
  readonly conditional: boolean;
  readonly acls: Acls;
  /** The action with its arguments and condition; not all may be certain. */
  readonly words: readonly string[];
}

/** In the order in which HAProxy runs them, whatever the order of the lines. */
export const phases = ['connection', 'session', 'content', 'http'] as const;
export type Phase = (typeof phases)[number];

/**
 * - `denies`: the client gets a refusal, or its connection is closed, at once or late.
 * - `ends phase`: skips the other rules of this phase.
 * - `answers`: HAProxy answers itself, other than with an error.
 * - `anything`: an unknown action, or one that replaces `src`, so that later rules check another address.
 */
type Effect = 'denies' | 'ends phase' | 'answers' | 'none' | 'anything';

export function ruleOf(line: SectionLine, acls: Acls): Rule | null {
  const phase = phaseOf(line.words);
  if (phase === null) return null;
  const at = phase === 'http' ? 1 : 2;
  const words = line.words.slice(at);
  const [word = '', ...rest] = words;
  const action = word.replace(/\(.*$/, '');
  const common = { place: line.place, phase, action, conditional: line.conditional, acls, words };
  const certain = line.certainWords === line.words.length;
  const { effect, condition } = meaningOf(action, phase, rest, certain);
  return { ...common, effect, condition: certain ? condition : unknown };
}

function phaseOf([keyword, word]: readonly string[]): Phase | null {
  if (keyword === 'http-request') return 'http';
  return keyword === 'tcp-request' ? (phases.find((one) => one === word && one !== 'http') ?? null) : null;
}

type Meaning = Pick<Rule, 'effect' | 'condition'>;

function meaningOf(action: string, phase: Phase, words: readonly string[], certain: boolean): Meaning {
  if (phase === 'http' && (action === 'deny' || action === 'tarpit')) return denialOf(action, words, certain);
  if (action === 'reject') return { effect: 'denies', condition: conditionAt(words, 0) };
  if (action === 'silent-drop')
    return { effect: 'denies', condition: conditionAt(words, words[0] === 'rst-ttl' ? 2 : 0) };
  if (action === 'return' && certain && answersChallenge.test(words.join(' ')))
    return { effect: 'none', condition: [] };
  if (action === 'return') return returnOf(words, certain);
  if (action === 'set-src' && certain && words.join(' ') === sameAddress) return { effect: 'none', condition: [] };
  if (action === (phase === 'http' ? 'allow' : 'accept'))
    return { effect: 'ends phase', condition: conditionAt(words, 0) };
  return { effect: effectOf(action), condition: onlyCondition(words) };
}

/**
 * Replaces a mapped IPv4 address by the IPv4 address, for which the maps have the same entries. Only that: from HAProxy
 * 3.0 on, `ipmask(32,128)` takes the IPv4 address 32.2.a.b (0x2002) for a 6to4 address, and makes a.b.0.0 of it.
 */
export const sameAddress = 'src,ipmask(32,128) if { src -m beg ::ffff: }';

/** Our rule for http-01, with our map: a blocked client too gets the answer to a challenge of an open order (ADR 0085). */
const answersChallenge =
  /^status 200 content-type text\/plain hdr Cache-Control no-store lf-string %\[path,map_str\((\S+\/acme_challenges\.map)\)\] if METH_GET \{ path_beg \/\.well-known\/acme-challenge\/ \} \{ path,map_str\(\1\) -m found \}$/;

const answering = new Set(['auth', 'redirect', 'use-service']);

const harmless =
  /^((add|del|replace|set)-(acl|header|headers-bin|map)|cache-use|capture|disable-l7-retry|do-(log|resolve)|early-hint|expect-(netscaler-cip|proxy)|normalize-uri|pause|replace-(path|pathq|uri|value)|sc-\S+|send-spoe-group|set-(bandwidth-limit|(bc|fc)-(mark|tos)|dst|dst-port|log-level|mark|method|nice|path|pathq|priority-class|priority-offset|query|retries|src-port|timeout|tos|uri|var|var-fmt)|strict-mode|track-sc\d+|unset-var|wait-for-(body|handshake))$/;

function effectOf(action: string): Effect {
  if (answering.has(action) || action.startsWith('lua.')) return 'answers';
  return harmless.test(action) ? 'none' : 'anything';
}

/** How many words each option of `deny`, `return` and `tarpit` takes, itself included. */
const replyOptions: Readonly<Record<string, number>> = {
  status: 2,
  deny_status: 2,
  'content-type': 2,
  'default-errorfiles': 1,
  errorfile: 2,
  errorfiles: 2,
  file: 2,
  'lf-file': 2,
  string: 2,
  'lf-string': 2,
  hdr: 3,
};

/**
 * A `deny` with 403 (the default), and a `tarpit` with any error status. Another error status denies too, but does not
 * prove that the map is enforced; a `deny` with any other status is an answer.
 */
function denialOf(action: 'deny' | 'tarpit', words: readonly string[], certain: boolean): Meaning {
  const { status, condition } = replyOf(words, action === 'deny' ? '403' : '500');
  if (!certain) return { effect: 'answers', condition };
  if (status === '403' || (action === 'tarpit' && isError(status))) return { effect: 'denies', condition };
  return { effect: isError(status) ? 'none' : 'answers', condition };
}

/** An error before the rule for the blocked map serves no client. */
function returnOf(words: readonly string[], certain: boolean): Meaning {
  const { status, condition } = replyOf(words, '200');
  return { effect: certain && isError(status) ? 'none' : 'answers', condition };
}

function replyOf(words: readonly string[], byDefault: string): { status: string; condition: Rule['condition'] } {
  let status = byDefault;
  let index = 0;
  for (let length: number | undefined; ; index += length) {
    length = replyOptions[words[index] ?? ''];
    if (length === undefined) break;
    if (/status$/.test(words[index] ?? '')) status = words[index + 1] ?? '';
  }
  return { status, condition: conditionAt(words, index) };
}

function isError(status: string): boolean {
  return /^[45]\d\d$/.test(status);
}

function conditionAt(words: readonly string[], index: number): Rule['condition'] {
  const word = words[index];
  return word === undefined || isConditionWord(word) ? words.slice(index) : unknown;
}

/** For an action whose arguments are not parsed: `if` may be one of them. */
function onlyCondition(words: readonly string[]): Rule['condition'] {
  const index = words.findIndex(isConditionWord);
  if (index < 0) return [];
  return words.slice(index + 1).some(isConditionWord) ? unknown : words.slice(index);
}

function isConditionWord(word: string): boolean {
  return word === 'if' || word === 'unless';
}
