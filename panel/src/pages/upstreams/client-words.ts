// Which address HAProxy judges for a request, as text.
import type { ClientAddressAnswer } from '../../api/types.ts';
import { counted } from '../../parts/counted.ts';
import type { Tone } from '../../parts/state-mark.tsx';
import { headerName } from './upstream-words.ts';

interface SentHeader {
  readonly name: string;
  readonly value: string;
}

type HeaderLines =
  | { readonly ok: true; readonly headers: readonly SentHeader[] }
  | { readonly ok: false; readonly why: string };

/** Of pasted text: one header per line; a request line and empty lines are skipped. */
export function readHeaders(text: string): HeaderLines {
  const headers: SentHeader[] = [];
  for (const [at, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === '' || /^[A-Z]+ \S+ HTTP\/[\d.]+$/.test(line.trim())) continue;
    const [, name, value] = /^([^\s:]+):(.*)$/.exec(line.trimStart()) ?? [];
    if (name === undefined || value === undefined)
      return { ok: false, why: `Line ${at + 1} is not a header such as “X-Forwarded-For: 203.0.113.7”.` };
    headers.push({ name, value: value.trim() });
  }
  return { ok: true, headers };
}

export function stepWords({ address, header, upstream }: ClientAddressAnswer['steps'][number]): string {
  const who = header === null ? `${address} connects` : `${headerName(header)} names ${address}`;
  return upstream === null ? `${who}.` : `${who}, of the upstream ${upstream}.`;
}

/** Why the walk ends, where the steps do not say it. @param sent how many headers were sent */
export function endWords(
  { steps, upstream }: Pick<ClientAddressAnswer, 'steps' | 'upstream'>,
  sent: number,
): string | null {
  if (upstream !== null || steps.length !== 1 || sent === 0) return null;
  return `It is no upstream, so ${counted(sent, 'header')} ${sent === 1 ? 'is' : 'are'} not believed.`;
}

export function verdictWords({ client, verdict, by, steps }: ClientAddressAnswer): {
  readonly tone: Tone;
  readonly words: string;
} {
  const entry = by === null || by === client ? 'its own entry' : by;
  const last = steps.at(-1)?.address ?? '';
  switch (verdict) {
    case 'too_large':
      return {
        tone: 'bad',
        words: 'The headers are too large for HAProxy, which refuses the request before any rule.',
      };
    case 'unreadable':
      return { tone: 'bad', words: 'The next value cannot be read: HAProxy answers 400.' };
    case 'no_client':
      return { tone: 'warn', words: `${last} names no client, so the request is served, blocked or not.` };
    case 'blocked':
      return { tone: 'bad', words: `${client} is judged: blocked by ${entry}, HAProxy answers 403.` };
    case 'trusted':
      return { tone: 'good', words: `${client} is judged: trusted by ${entry}, which overrides any block.` };
    case 'allowed':
      return { tone: 'good', words: `${client} is judged: allowed, no entry covers it.` };
  }
}
