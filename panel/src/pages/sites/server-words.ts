import { count } from '../../../../src/domain/counted.ts';
import type { Server, ServerState } from '../../api/types.ts';
import type { Tone } from '../../parts/state-mark.tsx';

interface StateWords {
  readonly tone: Tone;
  readonly words: string;
}

/** @param status the field `status` of `show stat` (management guide 9.1); null: HAProxy could not be queried */
export function statusWords(status: string | null): StateWords {
  if (status === null) return { tone: 'unknown', words: 'Unknown: HAProxy could not be queried' };
  const [, word, step] = /^(UP|DOWN|NOLB) (\d+\/\d+)$/.exec(status) ?? [];
  if (word === 'UP') return { tone: 'warn', words: `Up, but checks fail (${step})` };
  if (word === 'DOWN') return { tone: 'warn', words: `Down, recovering (${step})` };
  switch (status) {
    case 'UP':
      return { tone: 'good', words: 'Up' };
    case 'DOWN':
      return { tone: 'bad', words: 'Down' };
    case 'no check':
      return { tone: 'unknown', words: 'Unknown: health check disabled' };
    case 'MAINT (resolution)':
      return { tone: 'bad', words: 'Host name not resolved' };
    case 'DRAIN':
      return { tone: 'warn', words: 'Draining' };
  }
  if (status.startsWith('NOLB')) return { tone: 'warn', words: 'Draining' };
  if (status.startsWith('MAINT')) return { tone: 'warn', words: 'Maintenance' };
  return { tone: 'unknown', words: status };
}

const checkResults: Readonly<Record<string, string>> = {
  UNK: 'Unknown',
  INI: 'Not checked yet',
  SOCKERR: 'HAProxy could not open a connection',
  L4OK: 'Connection OK',
  L4TOUT: 'Connection timed out',
  L4CON: 'Connection refused',
  L6OK: 'TLS OK',
  L6TOUT: 'TLS timed out',
  L6RSP: 'TLS failed',
  L7OK: 'Response OK',
  L7OKC: 'Response OK',
  L7TOUT: 'Response timed out',
  L7RSP: 'Invalid response',
  L7STS: 'Error response',
};

/** The result of the last health check; null: none. HAProxy marks a running check with `* `. */
export function checkWords(check: string | null): string | null {
  if (check === null) return null;
  const code = check.replace(/^\* /, '');
  return checkResults[code] ?? code;
}

export function siteWords(states: readonly ServerState[] | undefined): StateWords {
  if (states === undefined) return { tone: 'unknown', words: 'Servers not checked yet' };
  const tones = states.map(({ status }) => statusWords(status).tone);
  const up = states.filter(({ status }) => status?.startsWith('UP')).length;
  const unknown = tones.filter((tone) => tone === 'unknown').length;
  const all = states.length;
  if (unknown === all) return { tone: 'unknown', words: 'State unknown' };
  if (up === 0 && unknown === 0) return { tone: 'bad', words: 'No server up: visitors get 503' };
  if (up === all) {
    const shaky = tones.includes('warn');
    return { tone: shaky ? 'warn' : 'good', words: all === 1 ? 'Server up' : `All ${all} servers up` };
  }
  const rest = unknown === 0 ? '' : `, ${unknown} unknown`;
  return { tone: 'warn', words: `${up} of ${all} servers up${rest}` };
}

export function optionWords(options: Server['options']): string[] {
  const { weight, backup, max_connections: maxConnections, check, ssl } = options ?? {};
  return [
    ...(backup === true ? ['backup'] : []),
    ...(weight === undefined ? [] : [weight === 0 ? 'weight 0 (no requests)' : `weight ${weight}`]),
    ...(maxConnections === undefined ? [] : [`max ${count(maxConnections)} connections`]),
    ...(check === false ? ['no health check'] : []),
    ...(ssl === 'verify' ? ['TLS, certificate verified'] : []),
    ...(ssl === 'insecure' ? ['TLS, certificate not verified'] : []),
  ];
}
