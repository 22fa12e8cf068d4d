// HAProxy's words for a server's state, in plain ones. What it does not say, we do not know.
import type { ServerState } from '../../api/types.ts';
import type { Tone } from '../../parts/state-mark.tsx';

export interface StateWords {
  readonly tone: Tone;
  readonly words: string;
}

/** Of `show stat`'s field `status` (management guide 9.1). Null: the proxy could not be asked. */
export function statusWords(status: string | null): StateWords {
  if (status === null) return { tone: 'unknown', words: 'Not known: the proxy could not be asked' };
  const [, word, step] = /^(UP|DOWN|NOLB) (\d+\/\d+)$/.exec(status) ?? [];
  if (word === 'UP') return { tone: 'warn', words: `Up, but checks fail (${step})` };
  if (word === 'DOWN') return { tone: 'warn', words: `Down, coming back (${step})` };
  switch (status) {
    case 'UP':
      return { tone: 'good', words: 'Up' };
    case 'DOWN':
      return { tone: 'bad', words: 'Down' };
    case 'no check':
      return { tone: 'unknown', words: 'Not known: it is not checked' };
    case 'MAINT (resolution)':
      return { tone: 'bad', words: 'Its name has no address yet' };
    case 'DRAIN':
      return { tone: 'warn', words: 'Takes no new visitors' };
  }
  if (status.startsWith('NOLB')) return { tone: 'warn', words: 'Takes no new visitors' };
  if (status.startsWith('MAINT')) return { tone: 'warn', words: 'Taken out for maintenance' };
  return { tone: 'unknown', words: status };
}

const checkResults: Readonly<Record<string, string>> = {
  UNK: 'not known',
  INI: 'not checked yet',
  SOCKERR: 'the proxy could not open a connection',
  L4OK: 'it takes connections',
  L4TOUT: 'no connection in time',
  L4CON: 'it refuses connections',
  L6OK: 'TLS works',
  L6TOUT: 'no TLS in time',
  L6RSP: 'TLS failed',
  L7OK: 'it answers',
  L7OKC: 'it answers',
  L7TOUT: 'no answer in time',
  L7RSP: 'its answer is not valid',
  L7STS: 'it answers with an error',
};

/** What the last health check said; null: nothing. HAProxy marks one that is under way with `* `. */
export function checkWords(check: string | null): string | null {
  if (check === null) return null;
  const code = check.replace(/^\* /, '');
  return checkResults[code] ?? code;
}

/** The servers of a site in one line. Undefined: they have not been asked yet. */
export function siteWords(states: readonly ServerState[] | undefined): StateWords {
  if (states === undefined) return { tone: 'unknown', words: 'Servers not asked yet' };
  const tones = states.map(({ status }) => statusWords(status).tone);
  const up = states.filter(({ status }) => status?.startsWith('UP')).length;
  const unknown = tones.filter((tone) => tone === 'unknown').length;
  const all = states.length;
  if (unknown === all) return { tone: 'unknown', words: 'State not known' };
  if (up === 0 && unknown === 0) return { tone: 'bad', words: 'No server is up: visitors get an error' };
  if (up === all) {
    const shaky = tones.includes('warn');
    return { tone: shaky ? 'warn' : 'good', words: all === 1 ? 'Its server is up' : `All ${all} servers are up` };
  }
  const notKnown = unknown === 0 ? '' : `, ${unknown} not known`;
  return { tone: 'warn', words: `${up} of ${all} servers up${notKnown}` };
}
