// Which address HAProxy checks for a request, as text.
import { isTooLong, mostSteps } from '../../../../src/domain/client-address.ts';
import type { ClientAddressAnswer } from '../../api/types.ts';
import type { Tone } from '../../parts/state-mark.tsx';
import { headerName } from './upstream-words.ts';

interface SentHeader {
  readonly name: string;
  readonly value: string;
}

type HeaderLines =
  | { readonly ok: true; readonly headers: readonly SentHeader[] }
  | { readonly ok: false; readonly why: string };

/**
 * Of pasted text: one header per line; a request line and empty lines are skipped. As for HAProxy, a line that begins
 * with a blank continues the one before it, and only blanks and tabs around a value do not count.
 */
export function readHeaders(text: string): HeaderLines {
  const headers: { readonly name: string; value: string }[] = [];
  for (const [at, line] of withoutIndent(text.split(/\r?\n/)).entries()) {
    if (trimmed(line) === '' || /^[A-Z]+ \S+ HTTP\/[\d.]+$/.test(trimmed(line))) continue;
    const last = headers.at(-1);
    if (/^[ \t]/.test(line) && last !== undefined) {
      last.value = trimmed(`${last.value} ${trimmed(line)}`);
      continue;
    }
    const [, name, value] = /^([^\s:]+):(.*)$/.exec(line) ?? [];
    if (name === undefined || value === undefined)
      return { ok: false, why: `Line ${at + 1} is not a header such as “X-Forwarded-For: 203.0.113.7”.` };
    headers.push({ name, value: trimmed(value) });
  }
  return { ok: true, headers };
}

/** Of text that was indented as a whole. */
function withoutIndent(lines: readonly string[]): string[] {
  const indents = lines.filter((line) => trimmed(line) !== '').map((line) => /^[ \t]*/.exec(line)?.[0].length ?? 0);
  const indent = Math.min(...indents);
  return lines.map((line) => line.slice(Math.min(indent, line.length)));
}

/** Without the blanks that HAProxy removes; `trim` would remove more. */
function trimmed(text: string): string {
  return text.replace(/^[ \t]+|[ \t]+$/g, '');
}

export function stepWords({ address, header, upstream }: ClientAddressAnswer['steps'][number]): string {
  const who = upstream === null ? address : `${address} (upstream ${upstream})`;
  return header === null ? `${who} connects.` : `${headerName(header)} names ${who}.`;
}

/** Why the client is not looked for any further, where the steps do not say it. @param sent how many headers were sent */
export function endWords(
  { steps, upstream }: Pick<ClientAddressAnswer, 'steps' | 'upstream'>,
  sent: number,
): string | null {
  if (upstream !== null || steps.length !== 1 || sent === 0) return null;
  return 'It is not an upstream, so HAProxy does not take the client from its headers.';
}

export function verdictWords(answer: ClientAddressAnswer): {
  readonly tone: Tone;
  readonly words: string;
} {
  const { client, verdict, by, steps } = answer;
  if (isTooLong(answer))
    return {
      tone: 'bad',
      words: `X-Forwarded-For names more than ${mostSteps} addresses in a row, which is the limit: HAProxy answers 400.`,
    };
  const entry = by === null || by === client ? 'its own entry' : by;
  const last = steps.at(-1)?.address ?? '';
  switch (verdict) {
    case 'too_large':
      return {
        tone: 'bad',
        words: 'The headers are too large: HAProxy rejects the request before it applies any rule.',
      };
    case 'unreadable':
      return { tone: 'bad', words: 'The next header value cannot be read, so HAProxy answers 400.' };
    case 'no_client':
      return { tone: 'warn', words: `${last} names no client, so no block applies and the request is served.` };
    case 'blocked':
      return { tone: 'unknown', words: `HAProxy checks ${client}: blocked by ${entry}, so it answers 403.` };
    case 'trusted':
      return { tone: 'good', words: `HAProxy checks ${client}: trusted by ${entry}, which overrides any block.` };
    case 'allowed':
      return { tone: 'good', words: `HAProxy checks ${client}: allowed, no entry covers it.` };
  }
}
