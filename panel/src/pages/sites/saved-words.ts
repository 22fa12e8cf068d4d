// The result of saving a site. A successful reload does not mean that its servers are up.
import type { ReloadAnswer, ServerState, SiteAnswer } from '../../api/types.ts';
import { reloadWords } from '../../parts/reload-words.ts';
import type { Tone } from '../../parts/state-mark.tsx';
import { siteWords } from './server-words.ts';

type Saved = { readonly domain: string; readonly reload: ReloadAnswer } & Partial<
  Pick<SiteAnswer, 'served' | 'ignored' | 'enabled' | 'redirect'>
>;

const memberWords = {
  names: 'the further names',
  canonical: 'the canonical name',
  enabled: 'that the site is disabled',
  redirect: 'the redirect',
} as const;

/** @param states of its servers right after the reload; null: the query failed */
export function savedWords(
  { domain, reload, served, ignored = [], enabled = true, redirect = null }: Saved,
  states: readonly ServerState[] | null,
): { readonly title: string; readonly words: string; readonly tone: Tone } {
  const words = [reloadWords(reload), ...reload.warnings].join(' ');
  if (ignored.length > 0) {
    const why = `Your template does not apply ${ignored.map((member) => memberWords[member]).join(', ')}.`;
    return { title: `${domain} is saved, but not all of it is in force`, words: `${why} ${words}`, tone: 'warn' };
  }
  if (!enabled) return { title: `${domain} is disabled`, words: `Visitors get 404. ${words}`, tone: 'good' };
  if (served === false) {
    const why = 'The live configuration does not contain it: your template does not use sites.';
    return { title: `${domain} is saved, but not served`, words: why, tone: 'warn' };
  }
  if (redirect !== null)
    return { title: `${domain} is live`, words, tone: reload.warnings.length > 0 ? 'warn' : 'good' };
  if (states !== null && siteWords(states).tone === 'bad')
    return { title: `${domain} is saved, but no server is up`, words: `${downWords(states)} ${words}`, tone: 'warn' };
  if (states === null) {
    const unchecked = `Could not check its servers. ${words}`;
    return { title: `${domain} is saved`, words: unchecked, tone: 'unknown' };
  }
  // HAProxy shows a new server as up until its first check.
  const checked = states.every(({ check }) => !/^(\* )?(INI|UNK)$/.test(check ?? ''));
  if (!checked)
    return { title: `${domain} is live`, words: `Its servers are not checked yet. ${words}`, tone: 'unknown' };
  return { title: `${domain} is live`, words, tone: reload.warnings.length > 0 ? 'warn' : 'good' };
}

function downWords(states: readonly ServerState[]): string {
  const unresolved = states.filter(({ status }) => status === 'MAINT (resolution)').map(({ address }) => address);
  if (unresolved.length === 0) return 'Visitors get 503.';
  return `${unresolved.slice(0, 3).join(', ')} ${unresolved.length === 1 ? 'does' : 'do'} not resolve; visitors get 503.`;
}
