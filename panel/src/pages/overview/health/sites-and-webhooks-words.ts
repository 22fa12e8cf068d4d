import { counted } from '../../../../../src/domain/counted.ts';
import type { ServerState, Webhook } from '../../../api/types.ts';
import type { Tone } from '../../../parts/state-mark.tsx';
import { siteWords } from '../../sites/server-words.ts';

interface SiteStates {
  readonly domain: string;
  readonly states: readonly ServerState[] | undefined;
}

interface Summary {
  readonly tone: Tone;
  readonly words: string;
}

/** @param total number of all sites, more than are in `checked` */
export function sitesWords(total: number, checked: readonly SiteStates[]): Summary {
  const of = (tone: Tone) =>
    checked.filter(({ states }) => siteWords(states).tone === tone).map(({ domain }) => domain);
  const [down, partly, good] = [of('bad'), of('warn'), of('good')];
  const unknown = total - down.length - partly.length - good.length;
  const rest = unknown === 0 ? '' : `; ${counted(unknown, 'site')} not checked`;
  if (down.length > 0)
    return {
      tone: 'bad',
      words: `${down.length} of ${counted(total, 'site')} down: ${listed(down)}${rest}`,
    };
  if (partly.length > 0) return { tone: 'warn', words: `Not all servers are up: ${listed(partly)}${rest}` };
  if (unknown === total) return { tone: 'unknown', words: `${counted(total, 'site')} not checked` };
  if (unknown > 0) return { tone: 'unknown', words: `${good.length} of ${counted(total, 'site')} up${rest}` };
  return { tone: 'good', words: `All servers of ${counted(total, 'site')} are up` };
}

export function webhooksWords(hooks: readonly Webhook[]): Summary {
  const failing = hooks.filter(({ enabled, failing_since: since }) => enabled && since !== null).map(({ id }) => id);
  if (failing.length > 0)
    return {
      tone: 'warn',
      words: `${failing.length} of ${counted(hooks.length, 'webhook')} failing: ${listed(failing)}`,
    };
  return { tone: 'good', words: `${counted(hooks.length, 'webhook')}, none failing` };
}

function listed(names: readonly string[]): string {
  const more = names.length - 3;
  return `${names.slice(0, 3).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
