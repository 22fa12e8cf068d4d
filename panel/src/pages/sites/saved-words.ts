// What became of a site that was saved: that HAProxy took it says nothing of its servers.
import type { ReloadAnswer, ServerState } from '../../api/types.ts';
import { reloadWords } from '../../parts/reload-words.ts';
import type { Tone } from '../../parts/state-mark.tsx';
import { siteWords } from './server-words.ts';

export interface Saved {
  readonly domain: string;
  readonly reload: ReloadAnswer;
  /** False: the configuration in force does not name the site; absent: the service does not say. */
  readonly served?: boolean;
}

/** @param states of its servers right after the reload; null: they could not be asked */
export function savedWords(
  { domain, reload, served }: Saved,
  states: readonly ServerState[] | null,
): { readonly title: string; readonly words: string; readonly tone: Tone } {
  const words = [reloadWords(reload), ...reload.warnings].join(' ');
  if (served === false) {
    const why = 'The configuration in force does not name it: your template does not use sites.';
    return { title: `${domain} is saved, but not served`, words: why, tone: 'warn' };
  }
  if (states !== null && siteWords(states).tone === 'bad')
    return { title: `${domain} is saved; no server is up`, words: `${downWords(states)} ${words}`, tone: 'warn' };
  if (states === null) {
    const unasked = `Whether its servers are up could not be asked. ${words}`;
    return { title: `${domain} is saved`, words: unasked, tone: 'unknown' };
  }
  // HAProxy counts a new server as up until its first check.
  const checked = states.every(({ check }) => !/^(\* )?(INI|UNK)$/.test(check ?? ''));
  if (!checked)
    return { title: `${domain} is live`, words: `Its servers are not checked yet. ${words}`, tone: 'unknown' };
  return { title: `${domain} is live`, words, tone: reload.warnings.length > 0 ? 'warn' : 'good' };
}

function downWords(states: readonly ServerState[]): string {
  const nameless = states.filter(({ status }) => status === 'MAINT (resolution)').map(({ address }) => address);
  if (nameless.length === 0) return 'Visitors get an error.';
  return `${nameless.slice(0, 3).join(', ')} ${nameless.length === 1 ? 'does' : 'do'} not resolve; visitors get an error.`;
}
